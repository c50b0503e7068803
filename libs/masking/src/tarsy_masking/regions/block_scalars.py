"""Values of several lines beside telling names: block and folded scalars of YAML, here-documents, tripled quotes.

In a diff each line has a mark before it.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from tarsy_masking.edits import Edit
from tarsy_masking.patterns import PatternFile, compile_regex
from tarsy_masking.regions.region import NO_REGIONS, Regions, line_end

RULE = "block_scalar"
LABEL = b"[MASKED_SECRET]"
_MARKS = b"+<>!-"
_MARK_SET = frozenset(bytes([mark]) for mark in _MARKS)


class BlockScalars:
    def __init__(self, source: PatternFile) -> None:
        self._never_secret = compile_regex(source.never_secret)
        self._head = compile_regex(
            rf"""(?im)^([ \t]*[{_MARKS.decode()}]?[ \t]*(?:-[ \t]+)*)["']?[\w./-]*{source.any_name}["']?[ \t]*"""
            r"(?::[ \t]*[|>][-+0-9]*[ \t]*(?:#[^\n]*)?\r?\n"
            r"""|=>?[ \t]*<<[-~]?["']?(\w+)["']?[ \t]*\r?\n|[:=][ \t]*("{3}|'{3}))"""
        )

    def __call__(self, text: bytes) -> Regions:
        if not _may_open(text):
            return NO_REGIONS
        edits: list[Edit] = []
        position, open_since = 0, None
        while (head := self._head.search(text, position)) is not None:
            value = _find_value(text, head)
            position = value.stop
            open_since = None if value.ended else head.start()
            edits += [
                Edit(start, stop, LABEL, text[start:stop], RULE)
                for start, stop in value.spans
                if text[start:stop].strip() and not self._never_secret.fullmatch(text, start, stop)
            ]
        return Regions(edits, open_since)


def _may_open(text: bytes) -> bool:
    """One sign is found in a thirtieth of the time of several: those come last, and only where their first is there."""
    return (
        b"|" in text
        or b">" in text
        or (b"<" in text and b"<<" in text)
        or (b"'" in text and b"'''" in text)
        or b'"""' in text
    )


class _Value(NamedTuple):
    """Where the value stands, the place to go on at, and whether it is known to end there, whatever text follows."""

    spans: Sequence[tuple[int, int]]
    stop: int
    ended: bool


def _find_value(text: bytes, head: Any) -> _Value:
    start = head.end()
    if head.group(3) is not None:
        end = text.find(head.group(3), start)
        stop = len(text) if end < 0 else end
        return _Value([(start, stop)], stop, ended=end >= 0)
    if head.group(2) is not None:
        return _find_until_line(text, start, head.group(2))
    return _find_indented(text, start, head.group(1))


def _find_until_line(text: bytes, start: int, mark: bytes) -> _Value:
    position = start
    while position <= len(text):
        end = line_end(text, position)
        if text[position:end].strip(_MARKS + b" \t\r") == mark and end < len(text):
            stop = max(start, position - 1)
            return _Value([(start, stop)], stop, ended=True)
        position = end + 1
    return _Value([(start, len(text))], len(text), ended=False)


def _find_indented(text: bytes, start: int, before_key: bytes) -> _Value:
    """One span, or in a diff one for each line: its marks stay."""
    column = len(before_key)
    # A line that was added does not go on in one that was removed. A context line of a diff is indented.
    marks = frozenset({before_key[:1]}) & _MARK_SET or (_MARK_SET if column > 0 else frozenset())
    lines: list[tuple[int, int]] = []
    position, ended, is_diff = start, False, False
    while position <= len(text) and not ended:
        end = line_end(text, position)
        is_marked = text[position : position + 1] in marks
        line = text[position + is_marked : end].rstrip()
        indent = is_marked + len(line) - len(line.lstrip(b" \t"))
        ended = bool(line) and indent <= column
        if line and not ended:
            is_diff = is_diff or is_marked
            lines.append((position + indent, position + is_marked + len(line)))
        position = end + 1
    stop = lines[-1][1] if lines else start
    return _Value(lines if is_diff or not lines else [(lines[0][0], stop)], stop, ended)
