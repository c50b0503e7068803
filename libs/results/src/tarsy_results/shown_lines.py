"""Lines as a search shows them: whole, or the part of a very long one that matters. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass

from tarsy_results.blocks import Block
from tarsy_results.position import TextPosition

EXCERPT_BYTES = 800
CONTEXT_BYTES = 300


@dataclass(frozen=True, slots=True)
class TextLine:
    """Or a part of a very long one: `at` is where it begins. `before`: so much of it has been looked at already."""

    at: TextPosition
    text: bytes
    before: int = 0
    ends: bool = True


@dataclass(frozen=True, slots=True)
class ShownLine:
    """`at` is where the text that is shown begins; `goes_on`: its line has more behind it."""

    at: TextPosition
    text: str
    matches: bool = False
    goes_on: bool = False


def lines_of(block: Block) -> Iterator[TextLine]:
    at, start, before = block.at, 0, block.before
    while start < len(block.text):
        end = block.text.find(b"\n", start)
        ends = end >= 0 or not block.goes_on
        end = end if end >= 0 else len(block.text)
        yield TextLine(at, block.text[start:end], before, ends)
        at, start, before = TextPosition(at.line + 1), end + 1, 0


def last_lines_of(block: Block, count: int) -> Iterator[TextLine]:
    text = block.text
    start = len(text) - text.endswith(b"\n")
    for _ in range(count):
        start = text.rfind(b"\n", 0, max(start, 0))
    skipped = text[: start + 1]
    rest = Block(text[start + 1 :], block.at.after(skipped), 0, block.goes_on)
    return lines_of(rest) if count else iter(())


def show_match(line: TextLine, start: int, end: int) -> tuple[ShownLine, int]:
    """The line, or what lies around the match; and where in it to look for the next one."""
    text = line.text
    if line.ends and not line.at.byte and len(text) <= EXCERPT_BYTES:
        return ShownLine(line.at, text.decode(errors="replace"), matches=True), len(text)
    first = max(0, start - EXCERPT_BYTES // 4)
    last = min(len(text), first + EXCERPT_BYTES)
    shown = text[first:last].decode(errors="ignore")
    at = TextPosition(line.at.line, line.at.byte + first)
    return ShownLine(at, shown, matches=True, goes_on=last < len(text) or not line.ends), max(last, end)


def around(line: TextLine) -> ShownLine:
    """A line near a match. Its beginning is enough when it is long."""
    if len(line.text) <= CONTEXT_BYTES:
        return ShownLine(line.at, line.text.decode(errors="replace"))
    return ShownLine(line.at, line.text[:CONTEXT_BYTES].decode(errors="ignore"), goes_on=True)
