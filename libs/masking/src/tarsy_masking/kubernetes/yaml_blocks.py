"""Locations of YAML mappings in a text that say `kind: Secret`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tarsy_masking.patterns import compile_regex

KEY = re.compile(rb"""( *(?:- +)*)["']?([\w./-]+)["']? *:(?:[ \t]+(.*))?$""", re.DOTALL)
# A comma after it would make it JSON.
_MENTION = compile_regex(r"""(?m)^( *(?:- +)*)["']?kind["']?[ ]*:[ ]*["']?Secret(?:List)?["']?[ \r]*(?:#[^\n]*)?$""")
_SPACES = re.compile(rb" *")
_COLUMN = re.compile(rb" *(?:- +)*")
_DIFF_MARK = re.compile(rb"^[+-](?![+-]{2})", re.MULTILINE)
_ESCAPE = re.compile(rb"\\+[rn]?")
# Where a string of JSON begins with YAML, its quote is the end of the line before.
_OPENING = re.compile(rb'"(?=(?:apiVersion|kind|data|stringData|metadata|type|items|immutable): *[\w{\n])')
_DOCUMENT_END = b"\n---"


@dataclass(frozen=True, slots=True)
class Line:
    start: int
    text: bytes
    indent: int

    @property
    def stop(self) -> int:
        return self.start + len(self.text)

    @property
    def is_blank(self) -> bool:
        return self.text == b"" or self.text.startswith(b"#", self.indent)

    @property
    def ends_document(self) -> bool:
        return self.text.startswith(b"---")


@dataclass(slots=True)
class _Block:
    start: int
    stop: int
    column: int


def lines_of(text: bytes, start: int, stop: int) -> Iterator[Line]:
    while start <= stop:
        end = text.find(b"\n", start, stop)
        end = stop if end < 0 else end
        line = text[start:end].rstrip()
        yield Line(start, line, len(line) - len(line.lstrip(b" ")))
        start = end + 1


def as_plain_lines(text: bytes) -> bytes:
    """The same text, each character in its place, without what diffs put before lines and JSON for their ends."""
    text = text.replace(b"\t", b" ")
    if b"Secret\\" in text:
        text = _OPENING.sub(b"\n", _ESCAPE.sub(_line_end, text))
    return _DIFF_MARK.sub(b" ", text) if b"\n@@ " in text or text.startswith(b"@@ ") else text


def _line_end(escape: re.Match[bytes]) -> bytes:
    written = escape[0]
    if written.endswith(b"n"):
        return b" " * (len(written) - 1) + b"\n"
    return b" " * len(written) if written.endswith(b"r") else written


def secret_blocks(text: bytes) -> list[tuple[int, int]]:
    """The first and the last line of each such mapping. Each line is read once, by the first mapping that has it."""
    blocks: list[_Block] = []
    for mention in _MENTION.finditer(text):
        start, column = mention.start(), len(mention.group(1))
        if blocks and start < blocks[-1].stop and blocks[-1].column <= column:
            continue
        begins_item = _SPACES.match(text, start).end() - start < column  # type: ignore[union-attr]
        first = start if begins_item else _find_first_line(text, start, column, blocks)
        while blocks and blocks[-1].start >= first:
            blocks.pop()
        blocks.append(_Block(first, _end_of_block(text, mention.end(), column), column))
    return _merge_overlapping(blocks)


def _find_first_line(text: bytes, start: int, column: int, blocks: list[_Block]) -> int:
    """Upwards to where the mapping begins; blocks of mappings inside it are taken off, and need not be read again."""
    if column == 0:
        start = max(0, text.rfind(_DOCUMENT_END, 0, start + 1) + 1)
    while start > 0:
        while blocks and blocks[-1].stop >= start - 1 and blocks[-1].column >= column:
            start = min(start, blocks.pop().start)
        if start == 0 or column == 0:
            break
        above = text.rfind(b"\n", 0, start - 1) + 1
        content = _SPACES.match(text, above).end()  # type: ignore[union-attr]
        says_nothing = text[content : content + 1] in (b"\n", b"\r", b"#")
        if not says_nothing and content - above < column:
            inner = _COLUMN.match(text, above).end()  # type: ignore[union-attr]
            return above if inner - above == column else start
        start = above
    return start


def _end_of_block(text: bytes, position: int, column: int) -> int:
    if column == 0:
        end = text.find(_DOCUMENT_END, position)
        return len(text) if end < 0 else end
    end = text.find(b"\n", position)
    while end >= 0:
        content = _SPACES.match(text, end + 1).end()  # type: ignore[union-attr]
        says_nothing = text[content : content + 1] in (b"\n", b"\r", b"#")
        if not says_nothing and content - end - 1 < column:
            return end
        end = text.find(b"\n", end + 1)
    return len(text)


def _merge_overlapping(blocks_by_start: list[_Block]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for block in blocks_by_start:
        if merged and block.start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], block.stop))
        else:
            merged.append((block.start, block.stop))
    return merged
