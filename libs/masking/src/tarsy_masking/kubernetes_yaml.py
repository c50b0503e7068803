"""Kubernetes Secrets in YAML: whole manifests, lists, several documents, or a manifest inside other text.

Lines are read, not a parsed document: tool results are cut off, mixed with other text, and large, and what is around a
Secret must come out as it went in.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tarsy_masking.kubernetes_objects import DATA_KEYS, MASKED_DATA
from tarsy_masking.patterns import compile_regex

_MENTION = compile_regex(r"""(?m)^[ \t-]*["']?kind["']?[ \t]*:[ \t]*["']?Secret(?:List)?\b""")
_KEY = re.compile(r"""^((?: *- +)* *)["']?([\w./-]+)["']? *:(?:[ \t]+(.*))?$""")
_NOTHING = frozenset({"", "{}", "null", "~", MASKED_DATA})

type _Lines = tuple[int, int]


@dataclass
class _Mapping:
    """An open YAML mapping: where its keys stand, and which lines hold data, its own and that of mappings inside."""

    column: int
    kind: str = ""
    data_since: int | None = None
    own: list[_Lines] = field(default_factory=list)
    inside: list[_Lines] = field(default_factory=list)

    def end_data(self, line: int) -> None:
        if self.data_since is not None:
            self.own.append((self.data_since, line))
            self.data_since = None


def mask_yaml_secrets(text: str) -> str:
    if "Secret" not in text or _MENTION.search(text.encode()) is None:
        return text
    lines = text.split("\n")
    masked: list[str] = []
    end = 0
    for start, stop in _outermost(_SecretFinder().find(lines)):
        masked += (*lines[end:start], *_without_values(lines[start:stop]))
        end = stop
    return "\n".join((*masked, *lines[end:]))


class _SecretFinder:
    """Reads lines once, with the mappings that are open at each; `kind` may come after `data`, as kubectl sorts."""

    def __init__(self) -> None:
        self._open: list[_Mapping] = []
        self._found: list[_Lines] = []

    def find(self, lines: Sequence[str]) -> list[_Lines]:
        for number, line in enumerate(lines):
            self._read(number, line.rstrip())
        self._close(-1, len(lines))
        return sorted(self._found)

    def _read(self, number: int, line: str) -> None:
        indent = len(line) - len(line.lstrip(" "))
        if line == "" or line[indent] == "#":
            return
        match = _KEY.match(line)
        if line.startswith("---") or match is None:
            self._close(-1 if line.startswith("---") else indent, number)
            return
        column = len(match[1])
        self._close(indent if "-" in match[1] else column, number)
        self._key(self._mapping_at(column), number, match[2], match[3] or "")

    def _mapping_at(self, column: int) -> _Mapping:
        if not self._open or self._open[-1].column != column:
            self._open.append(_Mapping(column))
        return self._open[-1]

    def _key(self, mapping: _Mapping, number: int, key: str, value: str) -> None:
        mapping.end_data(number)
        if key == "kind":
            mapping.kind = value.split("#")[0].strip(" \t\"'")
        if key in DATA_KEYS:
            mapping.data_since = number

    def _close(self, column: int, number: int) -> None:
        """Ends every mapping further right than the column, and the data of the one that goes on."""
        while self._open and self._open[-1].column > column:
            mapping = self._open.pop()
            mapping.end_data(number)
            if mapping.kind == "Secret":
                self._found += mapping.own
            if mapping.kind == "SecretList":
                self._found += mapping.own + mapping.inside
            if self._open:
                self._open[-1].inside += mapping.own + mapping.inside
        if self._open and self._open[-1].column == column:
            self._open[-1].end_data(number)


def _outermost(ranges: Sequence[_Lines]) -> Iterator[_Lines]:
    end = 0
    for start, stop in ranges:
        if start >= end:
            yield start, stop
            end = stop


def _without_values(lines: Sequence[str]) -> Iterator[str]:
    """The keys of the data stay, everything else goes: values may run over many lines."""
    head, *rest = lines
    match = _KEY.match(head.rstrip())
    inline = (match[3] or "").strip() if match else ""
    if match and inline.startswith("#"):
        inline = ""
    yield head if inline in _NOTHING else f"{head[: head.index(':')]}: {MASKED_DATA}"
    column: int | None = None
    for line in rest:
        key = _KEY.match(line.rstrip())
        if line.strip() == "":
            yield line
        elif key is not None and inline == "" and column in (None, len(key[1])):
            column = len(key[1])
            yield f"{line[: line.index(':', column)]}: {MASKED_DATA}"
