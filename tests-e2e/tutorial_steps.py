"""Steps of docs/tutorial.md, read from the page itself: its files and its commands, in order."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

TUTORIAL = Path(__file__).resolve().parent.parent / "docs" / "tutorial.md"
BLOCK = re.compile(r"^```(?P<language>\w+)(?: (?P<kind>\S+))?\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)

type CommandKind = Literal["once", "install", "terminal", "until"]


@dataclass(frozen=True, slots=True)
class FileStep:
    """A file that the reader writes."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class CommandStep:
    """`terminal`: it stays in the foreground of a terminal. `until`: it is repeated until it shows a session.
    `install`: it was done before the tests.
    """

    kind: CommandKind
    text: str


def steps() -> Iterator[FileStep | CommandStep]:
    for block in BLOCK.finditer(TUTORIAL.read_text("utf-8")):
        if block["language"] == "bash":
            yield CommandStep(_kind_of(block["kind"] or "once"), block["text"])
        else:
            yield FileStep(block["kind"], block["text"])


def _kind_of(word: str) -> CommandKind:
    match word:
        case "once" | "install" | "terminal" | "until":
            return word
        case _:
            raise ValueError(f"{TUTORIAL}: {word} is no kind of a step")
