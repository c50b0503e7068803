"""Errors of a configuration: every mistake at once, each with its place and its remedy."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

type KeyPath = tuple[str | int, ...]
"""A key path: names of mappings and indexes of lists, from the top of a file."""


@dataclass(frozen=True, slots=True)
class Mistake:
    file: str
    line: int | None
    path: str
    problem: str
    remedy: str

    def __str__(self) -> str:
        at = f"{self.file}:{self.line}" if self.line is not None else self.file
        path = f" {self.path}:" if self.path else ""
        return f"{at}:{path} {self.problem}; {self.remedy}"


@dataclass(frozen=True, slots=True)
class Note:
    """Not a mistake, but the key does not do what one may expect."""

    file: str
    line: int | None
    path: str
    sentence: str

    def __str__(self) -> str:
        path = f"{self.path}: " if self.path else ""
        return f"{self.file}:{self.line}: {path}{self.sentence}"


class ConfigError(Exception):
    """The configuration cannot be used as it is written."""


class InvalidConfigError(ConfigError):
    """The configuration cannot be used. The message has one line for each mistake, in the order of the files.

    The operator corrects it.
    """

    def __init__(self, mistakes: Sequence[Mistake]) -> None:
        self.mistakes = tuple(mistakes)
        super().__init__("\n".join(str(mistake) for mistake in self.mistakes))


def format_path(path: KeyPath) -> str:
    """`("stages", 0, "name")` as people write it: `stages[0].name`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def suggestion(name: str, known: Iterable[str], *, built_in: Iterable[str] = ()) -> str:
    """The nearest of the known names, or all of them; those that are built in when there are no others."""
    own, others = sorted(known), sorted(built_in)
    near = difflib.get_close_matches(name, (*own, *others), n=1, cutoff=0.6)
    if near:
        return f"did you mean {near[0]}?"
    names = own or others
    return f"known here: {', '.join(names)}" if names else "none is defined"
