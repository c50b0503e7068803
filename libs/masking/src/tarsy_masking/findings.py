"""Findings of a masker: rule and place of each secret, without the secret."""

from collections.abc import Iterator
from dataclasses import dataclass

from tarsy_masking.edits import EditHistory


@dataclass(frozen=True, slots=True)
class Finding:
    """Where in the original text something was masked: line and column from 1, column and length in characters."""

    rule: str
    line: int
    column: int
    length: int
    placeholder: str


def findings_in(original: bytes, history: EditHistory) -> list[Finding]:
    return list(_list_findings(original, history))


def _list_findings(original: bytes, history: EditHistory) -> Iterator[Finding]:
    line, begins, seen = 1, 0, 0
    for segment in history.segments:
        line += original.count(b"\n", seen, segment.start)
        begins = max(begins, original.rfind(b"\n", seen, segment.start) + 1)
        seen = segment.start
        column = len(original[begins : segment.start].decode(errors="replace")) + 1
        length = len(original[segment.start : segment.stop].decode(errors="replace"))
        yield Finding(segment.rule, line, column, length, segment.text.decode(errors="replace").strip())
