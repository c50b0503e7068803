"""Columns of tables whose names tell: psql, mysql, CSV, Markdown, COPY, and the rows of an INSERT."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from tarsy_masking.edits import Edit
from tarsy_masking.patterns import PatternFile, compile_regex
from tarsy_masking.regexes.beginnings import find_beginnings
from tarsy_masking.regions.region import RegionEdits, Regions, line_end, line_start
from tarsy_masking.sensitive_keys import SensitiveKeys

RULE = "table_column"
LONGEST_HEADER = 1_000
"""Characters. A longer line is no header."""
DELIMITERS = (b"|", b"\t", b";", b",")
_INSERT = r"(?i)\b(?:insert|replace)[ \t]+(?:ignore[ \t]+)?into[ \t]+[^\s(]+\s*\([^()]+\)\s*values\s*"
_COPY = r"(?i)\bcopy[ \t]+[^\s(]+[ \t]*\([^()\n]+\)[ \t]+from[ \t]+stdin[^\n]*\n"
_STATEMENT = compile_regex(r"(?i)values|stdin")
_LIST = re.compile(rb"\(([^()]*)\)[^()]*\Z")
_RULER = re.compile(rb"[ \t]*[-+|:= \t]*-[-+|:= \t]*\r?")
_NAME = re.compile(rb"""[ \t]*["'`]?[\w.-]*[A-Za-z][\w.-]*["'`]?[ \t]*""")
_NAME_OF_WORDS = re.compile(rb"[ \t]*[A-Za-z_][\w.() -]{0,60}[ \t]*")
_CSV_CELL = re.compile(rb'"(?:[^"\n]|"")*"|[^,\n]*')
_SQL_CELL = re.compile(
    rb"""\s*('(?:[^'\\]|''|\\.)*(?:'|\Z)|"(?:[^"\\]|\\.)*(?:"|\Z)|[^\s,()'"][^,()'"]*(?:\([^()]*\))?)\s*"""
)
# A cell of more words is a sentence.
_MOST_BLANKS = 1
_MARKS = b" \t\r'\"`"

type _Cell = tuple[int, int]


class _Row(NamedTuple):
    """The cells of a row, the place after it, and whether it is known that no other one follows."""

    cells: Sequence[_Cell]
    stop: int
    is_last: bool


type _Rows = Callable[[bytes, int], Iterator[_Row]]


class Tables:
    def __init__(self, source: PatternFile) -> None:
        self._names = SensitiveKeys(source)
        self._never_secret = compile_regex(source.never_secret)
        column = rf"""["'`]?[\w. -]*(?:{source.any_name}|\bpass|pwd)["'`]?[ \t]*"""
        self._header = compile_regex(rf"(?im)(?:^|[|,;\t])[ \t]*{column}(?:[|,;\t]|\r?$)")
        self._insert, self._copy = compile_regex(_INSERT), compile_regex(_COPY)
        self._begun = compile_regex(rf"(?:{find_beginnings(_INSERT, _COPY)})\z", capture=False)

    def __call__(self, text: bytes) -> Regions:
        found = [self._find_tables(text)]
        if b"(" in text and _STATEMENT.search(text) is not None:
            found += (
                self._mask_statements(text, self._insert, _tuple_rows),
                self._mask_statements(text, self._copy, _copy_rows),
            )
        edits = sorted(edit for each in found for edit in each.edits)
        return Regions(
            _drop_overlapping(edits),
            min((each.open_since for each in found if each.open_since is not None), default=None),
        )

    def open_since(self, text: bytes) -> int | None:
        """Also where a statement has begun whose values may follow."""
        match = self._begun.search(text)
        positions = [
            position
            for position in (self(text).open_since, None if match is None else match.start())
            if position is not None
        ]
        return min(positions, default=None)

    def _find_tables(self, text: bytes) -> Regions:
        edits: list[Edit] = []
        position, open_since = 0, None
        while (found := self._header.search(text, position)) is not None:
            start = line_start(text, found.start())
            end = line_end(text, start)
            position = end + 1
            header = _split_header(text, start, end)
            if header is None:
                continue
            delimiter, cells = header
            labels = self._labels_of_columns([text[first:last] for first, last in cells])
            if not labels:
                continue
            rows = self._mask_rows(text, position, delimiter, len(cells), labels)
            edits += rows.edits
            position = rows.stop
            open_since = None if rows.ended else start
        return Regions(edits, open_since)

    def _labels_of_columns(self, names: Sequence[bytes]) -> dict[int, bytes]:
        found = {
            number: self._label_of_column(name.strip(_MARKS).decode(errors="replace"))
            for number, name in enumerate(names)
        }
        return {number: label for number, label in found.items() if label is not None}

    def _label_of_column(self, name: str) -> bytes | None:
        if name.lower().endswith(("pwd", "pass")):
            return b"[MASKED_PASSWORD]"
        return self._names.label(name)

    def _mask_rows(
        self, text: bytes, position: int, delimiter: bytes, width: int, labels: dict[int, bytes]
    ) -> RegionEdits:
        edits: list[Edit] = []
        while position <= len(text):
            end = line_end(text, position)
            cells = _split_row(text, position, end, delimiter)
            ruler = _RULER.fullmatch(text, position, end)
            if end < len(text) and len(cells) != width and not ruler:
                return RegionEdits(edits, position, ended=True)
            if len(cells) == width and not ruler:
                edits += self._edit_cells(text, cells, labels)
            position = end + 1
        return RegionEdits(edits, len(text), ended=False)

    def _edit_cells(self, text: bytes, cells: Sequence[_Cell], labels: dict[int, bytes]) -> Iterator[Edit]:
        for number, label in labels.items():
            if number < len(cells):
                start, stop = _trim_marks(text, *cells[number])
                secret = text[start:stop]
                if secret and secret.count(b" ") <= _MOST_BLANKS and not self._never_secret.fullmatch(secret):
                    yield Edit(start, stop, label, secret, RULE)

    def _mask_statements(self, text: bytes, head: Any, rows: "_Rows") -> Regions:
        edits: list[Edit] = []
        position, open_since = 0, None
        while (found := head.search(text, position)) is not None:
            names = _LIST.search(text[found.start() : found.end()])
            labels = self._labels_of_columns(names[1].split(b",")) if names else {}
            position, ended = found.end(), True
            for row in rows(text, found.end()):
                edits += self._edit_cells(text, row.cells, labels)
                position, ended = row.stop, row.is_last
            open_since = None if ended or not labels else found.start()
        return Regions(edits, open_since)


def _tuple_rows(text: bytes, position: int) -> Iterator[_Row]:
    yield _Row([], position, position < len(text) and text[position : position + 1] != b"(")
    while text[position : position + 1] == b"(":
        cells: list[_Cell] = []
        position += 1
        while (cell := _SQL_CELL.match(text, position)) is not None:
            cells.append(cell.span(1))
            position = cell.end()
            if text[position : position + 1] != b",":
                break
            position += 1
        closed = text[position : position + 1] == b")"
        position += closed
        rest = _BETWEEN_TUPLES.match(text, position)
        after = rest.end() if rest else position
        yield _Row(cells, after, after < len(text) and text[after : after + 1] != b"(")
        position = after if closed else len(text)


_BETWEEN_TUPLES = re.compile(rb"\s*,?\s*")


def _copy_rows(text: bytes, position: int) -> Iterator[_Row]:
    yield _Row([], position, is_last=False)
    while position < len(text):
        end = line_end(text, position)
        if text.startswith(b"\\.", position):
            yield _Row([], position, is_last=True)
            return
        yield _Row(_split_at(text, position, end, b"\t"), end + 1, is_last=False)
        position = end + 1


def _split_header(text: bytes, start: int, end: int) -> tuple[bytes, list[_Cell]] | None:
    if end - start > LONGEST_HEADER:
        return None
    line = text[start:end]
    delimiter = next((mark for mark in DELIMITERS if mark in line), None)
    if delimiter is None:
        return None
    cells = _split_row(text, start, end, delimiter)
    form = _NAME if delimiter in b",;" else _NAME_OF_WORDS
    named = len(cells) > 1 and all(form.fullmatch(text, first, last) for first, last in cells)
    if not named or (delimiter == b"|" and not _has_ruler_below(text, end, len(cells), line)):
        return None
    return delimiter, cells


def _has_ruler_below(text: bytes, end: int, width: int, line: bytes) -> bool:
    """A line under the header, as psql and Markdown draw it, or enough columns without blanks. A line that is not
    there yet may become one."""
    after = line_end(text, end + 1)
    if after >= len(text):
        return True
    return _RULER.fullmatch(text, end + 1, after) is not None or (width > 2 and b" " not in line)


def _split_row(text: bytes, start: int, end: int, delimiter: bytes) -> list[_Cell]:
    if delimiter == b",":
        return _split_csv(text, start, end)
    if delimiter != b"|":
        return _split_at(text, start, end, delimiter)
    first, last = start, end
    while first < last and text[first] in b" \t":
        first += 1
    while last > first and text[last - 1] in b" \t\r":
        last -= 1
    first += text.startswith(b"|", first)
    last -= last > first and text.endswith(b"|", first, last)
    return _split_at(text, first, last, delimiter)


def _split_at(text: bytes, start: int, end: int, delimiter: bytes) -> list[_Cell]:
    cells: list[_Cell] = []
    while (stop := text.find(delimiter, start, end)) >= 0:
        cells.append((start, stop))
        start = stop + 1
    return [*cells, (start, end)]


def _split_csv(text: bytes, start: int, end: int) -> list[_Cell]:
    cells: list[_Cell] = []
    while True:
        cell = _CSV_CELL.match(text, start, end)
        stop = cell.end() if cell else end
        stop = stop if text[stop : stop + 1] == b"," and stop < end else text.find(b",", stop, end)
        stop = end if stop < 0 else stop
        cells.append((start, stop))
        if stop >= end:
            return cells
        start = stop + 1


def _trim_marks(text: bytes, start: int, stop: int) -> _Cell:
    while start < stop and text[start] in _MARKS:
        start += 1
    while stop > start and text[stop - 1] in _MARKS:
        stop -= 1
    return start, stop


def _drop_overlapping(edits: Sequence[Edit]) -> list[Edit]:
    apart: list[Edit] = []
    for edit in edits:
        if not apart or edit.start >= apart[-1].stop:
            apart.append(edit)
    return apart
