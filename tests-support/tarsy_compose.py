"""docker-compose.yml, as far as tests start what it says."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class ComposeService:
    """`mounts` leads from a folder in the container to one of ours."""

    name: str
    image: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    mounts: Mapping[str, Path]


@cache
def compose_services() -> Mapping[str, ComposeService]:
    """As they are when no variable is set: each `${NAME:-DEFAULT}` has its default."""
    document: Mapping[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))
    return {name: _service(name, one) for name, one in document["services"].items()}


def tarsy_services() -> Mapping[str, ComposeService]:
    """Services of our own image."""
    return {name: one for name, one in compose_services().items() if one.image.startswith("tarsy:")}


def _service(name: str, one: Mapping[str, Any]) -> ComposeService:
    mounts = (text.split(":")[:2] for text in one.get("volumes", ()) if text.startswith("./"))
    return ComposeService(
        name,
        _with_default(one["image"]),
        tuple(one.get("command", ())),
        {key: _with_default(str(value)) for key, value in one.get("environment", {}).items()},
        {inside: ROOT / outside for outside, inside in mounts},
    )


def _with_default(text: str) -> str:
    before, begin, rest = text.partition("${")
    if not begin:
        return text
    variable, _, after = rest.partition("}")
    return before + variable.partition(":-")[2] + _with_default(after)
