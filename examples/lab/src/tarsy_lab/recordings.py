"""Recorded answers of other programs of an incident: Helm's releases (releases.yaml) and Prometheus (metrics.yaml)."""

from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter


class Recording(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Revision(Recording):
    revision: int
    updated: str
    status: str
    chart: str
    description: str


class Release(Recording):
    """`rollbacks`: by revision, what a rollback to it would change."""

    name: str
    namespace: str
    revisions: tuple[Revision, ...]
    rollbacks: dict[int, str]


class Query(Recording):
    """`after`: the answer once the release of the recording was rolled back; the same one where it is left out."""

    query: str
    answer: str
    after: str | None = None


class Metrics(Recording):
    rolled_back: str = ""
    queries: tuple[Query, ...] = ()


RELEASES = TypeAdapter(tuple[Release, ...])


def read_releases(incident: Path) -> tuple[Release, ...]:
    """Returns none where nothing was recorded."""
    file = incident / "releases.yaml"
    return RELEASES.validate_python(yaml.safe_load(file.read_text(encoding="utf-8"))) if file.exists() else ()


def read_metrics(incident: Path) -> Metrics:
    """Returns none where nothing was recorded."""
    file = incident / "metrics.yaml"
    return Metrics.model_validate(yaml.safe_load(file.read_text(encoding="utf-8"))) if file.exists() else Metrics()
