"""Where a setting comes from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tarsy_config.document import Document
from tarsy_config.errors import Place, written

NAMED = frozenset({"agents", "agent_chains", "mcp_servers", "llm_providers"})
"""Sections of entries that have names: what no file defines in them is built in."""


@dataclass(frozen=True, slots=True)
class Origin:
    kind: Literal["file", "built-in", "default", "alert"]
    place: Place = ()
    file: str = ""
    line: int | None = None

    @property
    def path(self) -> str:
        return written(self.place)

    def __str__(self) -> str:
        match self.kind:
            case "file":
                return f"{self.file}:{self.line} {self.path}"
            case "built-in":
                return f"built-in {self.path}"
            case _:
                return self.kind


DEFAULT = Origin("default")
ALERT = Origin("alert")


@dataclass(frozen=True, slots=True)
class Found[T]:
    value: T
    origin: Origin


@dataclass(frozen=True, slots=True)
class File:
    name: str
    lines: Mapping[Place, int]
    variables: Mapping[Place, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Sources:
    """The keys that the files define, and the line of each."""

    files: tuple[File, ...] = field(default=(), repr=False)

    def defines(self, place: Place) -> bool:
        return any(place in file.lines for file in self.files)

    def origin(self, place: Place) -> Origin:
        """The origin of the key at a place. The line of an unwritten key is that of the nearest part around it."""
        entry = place[:2] if place[0] in NAMED else place[:1]
        for file in self.files:
            if entry in file.lines:
                return Origin("file", place, file.name, _line(file, place))
        return Origin("built-in", place) if place[0] in NAMED else DEFAULT

    def given(self, place: Place) -> Origin:
        """The origin of a key that may not have been written at all: DEFAULT then, unless it is built in."""
        origin = self.origin(place)
        return origin if origin.kind == "built-in" or self.defines(place) else DEFAULT

    def variables(self, place: Place) -> tuple[str, ...]:
        """The environment variables that the value at a place, or below it, was written with."""
        names = (
            name
            for file in self.files
            for at, written_with in file.variables.items()
            if at[: len(place)] == place
            for name in written_with
        )
        return tuple(dict.fromkeys(names))


def sources_of(documents: Sequence[Document]) -> Sources:
    return Sources(tuple(File(document.name, document.lines, document.variables) for document in documents))


def _line(file: File, place: Place) -> int:
    while place not in file.lines:
        place = place[:-1]
    return file.lines[place]
