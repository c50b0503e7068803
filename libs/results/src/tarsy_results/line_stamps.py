"""Time stamps of the lines of a text: which line has one, and what it says. Pure.

Blocks of many lines are searched at once here, as results have up to 32 MB. `tarsy_timestamps` looks at single lines,
and at the times that a sentence names.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import re2

from tarsy_results.blocks import Block
from tarsy_results.stamps import CLOCK, DAY_FIRST, EPOCH, ISO, KLOG, MONTH_FIRST, Stamp, parse_stamp
from tarsy_results.text import line_offset, line_start

FIRST_BYTES = 300
"""A stamp further on in its line is a part of what the line says, unless its name says that it is the line's."""
NAMED_BYTES = 4096
"""Loggers that sort their fields write the time behind the message."""

NAME = r"@?timestamp|ts|@?t|@?time|datetime|asctime|event_?time|logged_?at"
NAMED = rf'(?:^|[\s{{,])"?(?i:{NAME})"?\s*[:=]\s*["\[]?({ISO}|{EPOCH}|{DAY_FIRST}|{MONTH_FIRST})'
AT_ITS_BEGINNING = rf"^(?:\x1b\[[0-9;]*m|\[|\()*({EPOCH}|{CLOCK})(?:[\s\])|]|\x1b|$)"
ANYWHERE = rf"(?:\b|\x1b\[[0-9;]*m)({ISO}|{DAY_FIRST}|{MONTH_FIRST}|{KLOG})"


@dataclass(frozen=True, slots=True)
class StampedLine:
    """`start` is where the line begins in the block's text."""

    start: int
    stamp: Stamp


def find_stamped_lines(block: Block) -> Iterator[StampedLine]:
    """In order. The rest of a line that began before the block has none."""
    text = block.text
    at = text.find(b"\n") + 1 if block.at.byte else 0
    if block.at.byte and not at:
        return
    while (found := _ANY.search(text, at)) is not None:
        start = line_start(text, found.start(), at)
        end = text.find(b"\n", start)
        end = end if end >= 0 else len(text)
        stamp = _find_stamp(text, start, end, found)
        if stamp is not None:
            yield StampedLine(start, stamp)
        at = end + 1
        if at >= len(text):
            return


def stamp_at(line: int, earlier: Block | None, block: Block) -> Stamp | None:
    """The stamp of a line of the block, or of the last line before it that has one, there or in the block before."""
    start = line_offset(block.text, line - block.at.line)
    stamp = None
    for stamped in find_stamped_lines(block):
        if stamped.start > start:
            break
        stamp = stamped.stamp
    if stamp is None and earlier is not None:
        for stamped in find_stamped_lines(earlier):
            stamp = stamped.stamp
    return stamp


def _find_stamp(text: bytes, start: int, end: int, first: Any) -> Stamp | None:
    """That of a field with the name of a time, else the first one, near the line's beginning."""
    if text[start : start + 1] == b"{" and (named := _NAMED.search(text[start : min(end, start + NAMED_BYTES)])):
        return parse_stamp(named[1])
    written = first[1] or first[2] or first[3]
    column = first.end() - len(written) - start
    return parse_stamp(written) if column <= FIRST_BYTES or (first[1] and column <= NAMED_BYTES) else None


def _compile(pattern: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.never_nl = True
    return re2.compile(b"(?m)" + pattern.encode(), options)


_NAMED = _compile(NAMED)
_ANY = _compile(f"{NAMED}|{AT_ITS_BEGINNING}|{ANYWHERE}")
