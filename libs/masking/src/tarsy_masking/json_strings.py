"""JSON values as one text, and edits of that text made in the values: what a name and its value make together."""

import json
from bisect import bisect_right
from collections.abc import Generator, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from tarsy_masking.edits import AppliedEdit
from tarsy_masking.json_value import JsonObject, JsonValue

_SEPARATOR = b"\n\0\n"
"""Stands between strings that are searched together. No pattern of one line crosses it."""


class _Scalar(NamedTuple):
    """Its position in the text, without its quotes."""

    start: int
    stop: int
    quoted: bool


class JsonText:
    """A value as the text that `json.dumps` writes, and where each scalar stands in it."""

    def __init__(self, value: JsonValue) -> None:
        self._value = value
        self.text = _to_json_bytes(value)

    def apply_edits(self, edits: Sequence[AppliedEdit]) -> JsonValue:
        """Names stay. A scalar that an edit touches is edited within, and replaced where that leaves no JSON."""
        starts = [edit.start for edit in edits]
        return self._read_back(self._value, _scalars_in(self._value, 0), edits, starts)

    def _read_back(
        self, value: JsonValue, scalars: Iterator[_Scalar], edits: Sequence[AppliedEdit], starts: Sequence[int]
    ) -> JsonValue:
        if isinstance(value, dict):
            read: JsonObject = {name: self._read_back(item, scalars, edits, starts) for name, item in value.items()}
            return read
        if isinstance(value, list):
            return [self._read_back(item, scalars, edits, starts) for item in value]
        return self._edited_scalar(value, next(scalars), edits, starts)

    def _edited_scalar(
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
        edited = self._edit_within(scalar, touching) if within else None
        return touching[0].text.decode(errors="replace").strip() if edited is None else edited

    def _edit_within(self, scalar: _Scalar, edits: Sequence[AppliedEdit]) -> str | None:
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


def _to_json_bytes(value: JsonValue) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode(errors="replace")


def _scalars_in(value: JsonValue, start: int) -> Generator[_Scalar, None, int]:
    """Follows how the value was written, and returns where it ends. That costs more than the writing, and most texts
    need no edit."""
    if isinstance(value, dict):
        end = start + 1
        for number, (name, item) in enumerate(value.items()):
            end += (2 if number else 0) + len(_to_json_bytes(name)) + 2
            end = yield from _scalars_in(item, end)
        return end + 1
    if isinstance(value, list):
        end = start + 1
        for number, item in enumerate(value):
            end += 2 if number else 0
            end = yield from _scalars_in(item, end)
        return end + 1
    end, quoted = start + len(_to_json_bytes(value)), isinstance(value, str)
    yield _Scalar(start + quoted, end - quoted, quoted)
    return end


def strings_of(value: JsonValue) -> list[str]:
    """All strings, with the names, each once. Raises RecursionError."""
    found: dict[str, None] = {}
    _collect_strings(value, found)
    return list(found)


def _collect_strings(value: JsonValue, found: dict[str, None]) -> None:
    if isinstance(value, str):
        found[value] = None
    elif isinstance(value, list):
        for item in value:
            _collect_strings(item, found)
    elif isinstance(value, dict):
        found.update(dict.fromkeys(value))
        for item in value.values():
            _collect_strings(item, found)


def together(strings: Sequence[str]) -> tuple[bytes, list[int]]:
    """The strings in one text, and where each of them begins."""
    pieces = [string.encode(errors="replace") + _SEPARATOR for string in strings]
    starts = list(accumulate(map(len, pieces), initial=0))
    return b"".join(pieces), starts[:-1]
