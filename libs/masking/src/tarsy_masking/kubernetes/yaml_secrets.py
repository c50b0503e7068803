"""Kubernetes Secrets in YAML: whole manifests, lists, several documents, or a manifest inside other text.

Reads lines, not a parsed document: tool results are truncated, large, and mixed with other text. Text around a Secret
must stay unchanged. Only the mappings that say `kind: Secret` are read.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tarsy_masking.edits import Edit
from tarsy_masking.kubernetes.secret_objects import DATA_KEYS, LABEL, RULE
from tarsy_masking.kubernetes.yaml_blocks import KEY, Line, as_plain_lines, lines_of, secret_blocks

_KEYS = tuple(key.encode() for key in DATA_KEYS)
_NOTHING = re.compile(rb"""(?:\{\}|\[\]|null|~|""|''|\[MASKED_[A-Z0-9_]+(?:[0-9a-f]{8})?\])?[ \t]*(?:#.*)?""")
_QUOTED = re.compile(rb"""(["'])(.*)\1""", re.DOTALL)
_BLOCK_HEAD = re.compile(rb"[|>][-+0-9]*[ \t]*(?:#[^\n]*)?\r?\n")

type _Range = tuple[int, int]


@dataclass(slots=True)
class _Mapping:
    """An open YAML mapping: where its keys stand, and which lines hold data, its own and that of mappings inside."""

    column: int
    kind: bytes = b""
    data_since: int | None = None
    own: list[_Range] = field(default_factory=list)
    inside: list[_Range] = field(default_factory=list)

    def end_data(self, line: int) -> None:
        if self.data_since is not None:
            self.own.append((self.data_since, line))
            self.data_since = None


def yaml_secrets(text: bytes) -> list[Edit]:
    if b"Secret" not in text:
        return []
    text = as_plain_lines(text)
    return [
        edit
        for start, stop in secret_blocks(text)
        for lines in [list(lines_of(text, start, stop))]
        for first, last in _outermost_ranges(_SecretFinder().find(lines))
        for edit in _data_edits(text, lines[first:last])
    ]


class _SecretFinder:
    """Reads lines once, with the mappings that are open at each; `kind` may come after `data`, as kubectl sorts."""

    def __init__(self) -> None:
        self._open: list[_Mapping] = []
        self._found: list[_Range] = []

    def find(self, lines: Sequence[Line]) -> list[_Range]:
        for number, line in enumerate(lines):
            self._read_line(number, line)
        self._close_mappings(-1, len(lines))
        return sorted(self._found)

    def _read_line(self, number: int, line: Line) -> None:
        if line.is_blank:
            return
        match = KEY.match(line.text)
        if line.ends_document or match is None:
            self._close_mappings(-1 if line.ends_document else line.indent, number)
            return
        column = len(match[1])
        self._close_mappings(line.indent if line.indent < column else column, number)
        self._note_key(self._mapping_at(column), number, match[2], match[3] or b"")

    def _mapping_at(self, column: int) -> _Mapping:
        if not self._open or self._open[-1].column != column:
            self._open.append(_Mapping(column))
        return self._open[-1]

    def _note_key(self, mapping: _Mapping, number: int, key: bytes, value: bytes) -> None:
        mapping.end_data(number)
        if key == b"kind":
            mapping.kind = value.split(b"#")[0].strip(b" \t\"'")
        if key in _KEYS:
            mapping.data_since = number

    def _close_mappings(self, column: int, number: int) -> None:
        """Ends every mapping further right than the column, and the data of the one that goes on."""
        while self._open and self._open[-1].column > column:
            mapping = self._open.pop()
            mapping.end_data(number)
            if mapping.kind == b"Secret":
                self._found += mapping.own
            if mapping.kind == b"SecretList":
                self._found += mapping.own + mapping.inside
            if self._open:
                self._open[-1].inside += mapping.own + mapping.inside
        if self._open and self._open[-1].column == column:
            self._open[-1].end_data(number)


def _outermost_ranges(ranges: Sequence[_Range]) -> Iterator[_Range]:
    end = 0
    for start, stop in ranges:
        if start >= end:
            yield start, stop
            end = stop


def _data_edits(text: bytes, lines: Sequence[Line]) -> Iterator[Edit]:
    """The keys of the data stay, everything else goes: values may run over many lines."""
    column: int | None = None
    values = [_Value(lines[0])]
    inline = not _NOTHING.fullmatch(values[0].begins)
    for line in lines[1:]:
        key = KEY.match(line.text)
        if line.text == b"":
            continue
        if not inline and key is not None and column in (None, len(key[1])):
            column = len(key[1])
            values.append(_Value(line))
        else:
            values[-1].goes_on(line)
    for value in values:
        yield from value.edits(text)


class _Value:
    """The value of a key, and the lines after it that belong to it."""

    def __init__(self, line: Line) -> None:
        match = KEY.match(line.text)
        column = len(line.text) if match is None or match[3] is None else match.start(3)
        self._start, self._stop = line.start + column, line.start + len(line.text)
        self._further: list[Line] = []
        self.begins = line.text[column:]

    def goes_on(self, line: Line) -> None:
        self._further.append(line)

    def edits(self, text: bytes) -> Iterator[Edit]:
        if self._start < self._stop and not (self._further and self.begins.startswith(b"#")):
            stop = self._further[-1].stop if self._further else self._stop
            if not _NOTHING.fullmatch(text[self._start : stop]):
                yield _make_edit(text, self._start, stop)
            return
        for line in self._further:
            start = line.start + len(line.text) - len(line.text.lstrip(b" \t#-"))
            if not _NOTHING.fullmatch(text[start : line.stop]):
                yield _make_edit(text, start, line.stop)


def _make_edit(text: bytes, start: int, stop: int) -> Edit:
    value = text[start:stop]
    head = _BLOCK_HEAD.match(value)
    secret = value[head.end() :] if head else value
    quoted = _QUOTED.fullmatch(secret)
    return Edit(start, stop, LABEL, quoted[2] if quoted else secret, RULE)
