"""The files of one recorded incident, read when they are first asked for."""

import gzip
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import yaml


@dataclass(frozen=True)
class Resource:
    """A Kubernetes object: the text of its file, as it was recorded, and what it says."""

    text: str
    body: dict[str, object]

    @property
    def api_version(self) -> str:
        return str(self.body["apiVersion"])

    @property
    def kind(self) -> str:
        return str(self.body["kind"])

    @property
    def name(self) -> str:
        return str(self._metadata["name"])

    @property
    def namespace(self) -> str | None:
        namespace = self._metadata.get("namespace")
        return None if namespace is None else str(namespace)

    @property
    def identity(self) -> tuple[str, str, str | None, str]:
        return self.api_version, self.kind, self.namespace, self.name

    @property
    def _metadata(self) -> dict[str, object]:
        metadata = self.body["metadata"]
        if not isinstance(metadata, dict):
            raise TypeError(f"the metadata of a {self.kind} is no mapping")
        return metadata


class Evidence:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def resources(self) -> tuple[Resource, ...]:
        files = sorted((self.folder / "objects").glob("*.yaml"))
        return tuple(resource for file in files for resource in _documents(file))

    @cached_property
    def events(self) -> tuple[Resource, ...]:
        return _documents(self.folder / "events.yaml")

    def log(self, pod: str) -> str | None:
        """A short one lies there as it is, a long one packed."""
        plain, packed = (self.folder / "logs" / f"{pod}.log{ending}" for ending in ("", ".gz"))
        if plain.exists():
            return plain.read_text(encoding="utf-8")
        return gzip.decompress(packed.read_bytes()).decode() if packed.exists() else None


def _documents(file: Path) -> tuple[Resource, ...]:
    texts = re.split(r"^---\n", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return tuple(Resource(text, yaml.safe_load(text)) for text in texts if text.strip())
