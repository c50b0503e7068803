"""JSON values as one text, and edits of that text made in the values: what a name and its value make together."""

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from json.encoder import encode_basestring
from typing import NamedTuple

from tarsy_masking.edits import AppliedEdit
from tarsy_masking.json_value import JsonObject, JsonValue

SEPARATOR = "\n\0\n"
"""Stands between strings that are searched together. No pattern of one line crosses it."""


class _Scalar(NamedTuple):
    """Where it stands in the text, without its quotes."""

    start: int
    stop: int
    quoted: bool


class JsonText:
    """A value as the text that `json.dumps` writes, and where each scalar and each name stands in it."""

    def __init__(self, value: JsonValue) -> None:
        self._pieces: list[bytes] = []
        self._length = 0
        self._scalars: list[_Scalar] = []
        self._value = value
        self._write(value)
        self.text = b"".join(self._pieces)

    def edited(self, edits: Sequence[AppliedEdit]) -> JsonValue:
        """Names stay. A scalar that an edit touches is edited within, and replaced where that leaves no JSON."""
        starts = [edit.start for edit in edits]
        return self._read(self._value, iter(self._scalars), edits, starts)

    def _put(self, piece: bytes) -> None:
        self._pieces.append(piece)
        self._length += len(piece)

    def _scalar(self, value: JsonValue) -> None:
        quoted = isinstance(value, str)
        written = (encode_basestring(value) if isinstance(value, str) else json.dumps(value)).encode(errors="replace")
        self._scalars.append(_Scalar(self._length + quoted, self._length + len(written) - quoted, quoted))
        self._put(written)

    def _write(self, value: JsonValue) -> None:
        if isinstance(value, dict):
            self._put(b"{")
            for number, (name, item) in enumerate(value.items()):
                self._put(b", " if number else b"")
                self._put(encode_basestring(name).encode(errors="replace") + b": ")
                self._write(item)
            self._put(b"}")
        elif isinstance(value, list):
            self._put(b"[")
            for number, item in enumerate(value):
                self._put(b", " if number else b"")
                self._write(item)
            self._put(b"]")
        else:
            self._scalar(value)

    def _read(
        self, value: JsonValue, scalars: Iterator[_Scalar], edits: Sequence[AppliedEdit], starts: Sequence[int]
    ) -> JsonValue:
        if isinstance(value, dict):
            read: JsonObject = {name: self._read(item, scalars, edits, starts) for name, item in value.items()}
            return read
        if isinstance(value, list):
            return [self._read(item, scalars, edits, starts) for item in value]
        return self._edited(value, next(scalars), edits, starts)

    def _edited(
        self, value: JsonValue, scalar: _Scalar, edits: Sequence[AppliedEdit], starts: Sequence[int]
    ) -> JsonValue:
        first = max(0, bisect_right(starts, scalar.start) - 1)
        touching = []
        for edit in edits[first:]:
            if edit.start >= scalar.stop:
                break
            if edit.stop > scalar.start:
                touching.append(edit)
        if not touching:
            return value
        within = scalar.quoted and all(scalar.start <= edit.start and edit.stop <= scalar.stop for edit in touching)
        edited = self._within(scalar, touching) if within else None
        return touching[0].text.decode(errors="replace").strip() if edited is None else edited

    def _within(self, scalar: _Scalar, edits: Sequence[AppliedEdit]) -> str | None:
        pieces: list[bytes] = []
        end = scalar.start
        for edit in edits:
            pieces += (self.text[end : edit.start], edit.text)
            end = edit.stop
        written = b"".join((b'"', *pieces, self.text[end : scalar.stop], b'"'))
        try:
            return str(json.loads(written))
        except ValueError:
            return None


def strings_of(value: JsonValue) -> Iterator[str]:
    """All strings, with the names."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from strings_of(item)
    elif isinstance(value, dict):
        yield from value
        for item in value.values():
            yield from strings_of(item)


def together(strings: Iterable[str]) -> tuple[bytes, list[str], list[int]]:
    """The strings in one text, each once, and where each of them begins."""
    distinct = list(dict.fromkeys(strings))
    starts: list[int] = []
    pieces: list[bytes] = []
    length = 0
    for string in distinct:
        piece = string.encode(errors="replace") + SEPARATOR.encode()
        starts.append(length)
        pieces.append(piece)
        length += len(piece)
    return b"".join(pieces), distinct, starts
