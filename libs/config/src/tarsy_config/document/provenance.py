"""Where a setting comes from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tarsy_config.document.plain_data import Document
from tarsy_config.errors import KeyPath, format_path

NAMED = frozenset({"agents", "agent_chains", "mcp_servers", "llm_providers"})
"""Sections of entries that have names: what no file defines in them is built in."""


@dataclass(frozen=True, slots=True)
class Origin:
    kind: Literal["file", "built-in", "default", "alert"]
    place: KeyPath = ()
    file: str = ""
    line: int | None = None

    @property
    def path(self) -> str:
        return format_path(self.place)

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
    lines: Mapping[KeyPath, int]
    variables: Mapping[KeyPath, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Sources:
    """The keys that the files define, and the line of each."""

    files: tuple[File, ...] = field(default=(), repr=False)

    def defines(self, path: KeyPath) -> bool:
        return any(path in file.lines for file in self.files)

    def origin(self, path: KeyPath) -> Origin:
        """The origin of the key at a place. The line of an unwritten key is that of the nearest part around it."""
        entry = path[:2] if path[0] in NAMED else path[:1]
        for file in self.files:
            if entry in file.lines:
                return Origin("file", path, file.name, _line_of(file, path))
        return Origin("built-in", path) if path[0] in NAMED else DEFAULT

    def origin_or_default(self, path: KeyPath) -> Origin:
        """The origin of a key that may not have been written at all: DEFAULT then, unless it is built in."""
        origin = self.origin(path)
        return origin if origin.kind == "built-in" or self.defines(path) else DEFAULT

    def variables(self, path: KeyPath) -> tuple[str, ...]:
        """The environment variables that the value at a place, or below it, was written with."""
        names = (
            name
            for file in self.files
            for at, written_with in file.variables.items()
            if at[: len(path)] == path
            for name in written_with
        )
        return tuple(dict.fromkeys(names))


def sources_of(documents: Sequence[Document]) -> Sources:
    return Sources(tuple(File(document.name, document.lines, document.variables) for document in documents))


def _line_of(file: File, path: KeyPath) -> int:
    while path not in file.lines:
        path = path[:-1]
    return file.lines[path]
