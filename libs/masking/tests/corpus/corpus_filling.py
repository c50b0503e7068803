"""Templates with marked slots, filled from a seed.

`«!kind:shape»` plants a secret, `«=kind:shape»` a harmless value, `«?kind:shape»` what may be masked or not.
`«=kind:"text"»` is just this text, and `«!kind:shape#name»` the same value wherever the name comes up again.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Literal

from corpus_shapes import SHAPES

type Half = Literal["open", "held_out"]

FOLDER = Path(__file__).parent
SEEDS = (1, 2, 3)
SECRET, HARMLESS, EITHER = "!=?"
_SLOT = re.compile(r'«([!=?])([a-z0-9-]+):("[^"»]*"|[a-z0-9_]+)(?:#(\w+))?»')
# Before a block of several lines: what stands in front of each of them.
_IN_FRONT = re.compile(r"[ \t]*|[\w.-]+ +\| ")
_LINE_BREAKS = re.compile(r"\\*\\n|\n| (?=[A-Za-z0-9+/=]{40})")
WINDOW = 12


@dataclass(frozen=True, slots=True)
class Value:
    kind: str
    shape: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Document:
    name: str
    seed: int
    text: str
    secrets: tuple[Value, ...]
    lookalikes: tuple[Value, ...]
    harmless_lines: tuple[str, ...]


def documents(half: Half) -> Iterator[Document]:
    for path in sorted((FOLDER / half).glob("*.txt")):
        template = path.read_text(encoding="utf-8")
        for seed in SEEDS:
            yield filled(path.stem, template, seed)


def filled(name: str, template: str, seed: int) -> Document:
    filling = _Filling(Random(f"{name} {seed}"))
    lines = [filling.line(number, line) for number, line in enumerate(template.splitlines(), 1)]
    secrets, lookalikes = (tuple(filling.values[mark].values()) for mark in (SECRET, HARMLESS))
    return Document(name, seed, "\n".join(lines) + "\n", secrets, lookalikes, tuple(filling.harmless_lines))


class _Filling:
    def __init__(self, random: Random) -> None:
        self.values: dict[str, dict[str, Value]] = {SECRET: {}, HARMLESS: {}, EITHER: {}}
        self.harmless_lines: list[str] = []
        self._random = random
        self._named: dict[str, str] = {}

    def line(self, number: int, template: str) -> str:
        line, end = "", 0
        for slot in _SLOT.finditer(template):
            line += template[end : slot.start()] + self._value(number, template, slot)
            end = slot.end()
        line += template[end:]
        if all(slot[1] == HARMLESS for slot in _SLOT.finditer(template)):
            self.harmless_lines.append(line)
        return line

    def _value(self, number: int, template: str, slot: re.Match[str]) -> str:
        mark, kind, shape, name = slot.groups()
        text = self._named.get(name) or (shape[1:-1] if shape.startswith('"') else SHAPES[shape](self._random))
        if name:
            self._named[name] = text
        self.values[mark][text] = Value(kind, shape, text, number)
        front = template[: slot.start()]
        return text.replace("\n", "\n" + front) if _IN_FRONT.fullmatch(front) else text


def pieces(secret: str) -> list[str]:
    """What must not be left: any twelve characters of it, or of any line of a block that is no mark or header."""
    lines = [line for line in _LINE_BREAKS.split(secret) if line]
    if len(lines) > 1:
        lines = [line for line in lines if len(line) >= WINDOW and not re.search(r"[-:]", line)]
    return [piece for line in lines for piece in _windows(line)]


def _windows(line: str) -> list[str]:
    if len(line) < WINDOW + 4:
        return [line]
    return [line[at : at + WINDOW] for at in range(len(line) - WINDOW + 1)]
