"""Values of several lines beside telling names: block and folded scalars of YAML, here-documents, tripled quotes.

In a diff each line has a mark before it.
"""

from collections.abc import Sequence
from typing import Any

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
            lines, position, ended = _find_content(text, head)
            open_since = None if ended else head.start()
            edits += [
                Edit(start, stop, LABEL, text[start:stop], RULE)
                for start, stop in lines
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


type _Spans = Sequence[tuple[int, int]]


def _find_content(text: bytes, head: Any) -> tuple[_Spans, int, bool]:
    """The position of the value, the position to continue at, and whether the value ends here."""
    start = head.end()
    if head.group(3) is not None:
        end = text.find(head.group(3), start)
        stop = len(text) if end < 0 else end
        return [(start, stop)], stop, end >= 0
    if head.group(2) is not None:
        return _find_until_line(text, start, head.group(2))
    return _find_indented(text, start, head.group(1))


def _find_until_line(text: bytes, start: int, mark: bytes) -> tuple[_Spans, int, bool]:
    position = start
    while position <= len(text):
        end = line_end(text, position)
        if text[position:end].strip(_MARKS + b" \t\r") == mark and end < len(text):
            stop = max(start, position - 1)
            return [(start, stop)], stop, True
        position = end + 1
    return [(start, len(text))], len(text), False


def _find_indented(text: bytes, start: int, before_key: bytes) -> tuple[_Spans, int, bool]:
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
    return lines if is_diff or not lines else [(lines[0][0], stop)], stop, ended
