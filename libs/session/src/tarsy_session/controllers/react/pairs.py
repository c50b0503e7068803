"""`key: value` and `key=value`, a line each or with commas between them. Pure, in linear time."""

import re
from collections.abc import Iterator

from pydantic import JsonValue

from tarsy_contracts.near_json import make_readable, object_at, real, value_of, whole

PAIR = re.compile(
    r"""
    \s*+ (?:[-*•]\s++)?+
    (?P<quote>["'`]?) (?P<key>[^\W\d][\w.\-]*+) (?P=quote) \s*+
    (?: : (?=\s|["'`\[{]|$) | = (?![=~>]) )
    (?P<value>.*)
    """,
    re.VERBOSE | re.DOTALL,
)
MARK = re.compile(r"\\.|[\"'()\[\]{},]", re.DOTALL)
BEFORE_A_QUOTE = frozenset(("", *"=:,([{~"))
CONSTANTS: dict[str, JsonValue] = {"true": True, "false": False, "null": None, "none": None}
INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
REAL = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?")


def parse_pairs(text: str) -> dict[str, JsonValue] | None:
    """Returns None unless the text is pairs and nothing else."""
    found: dict[str, JsonValue] = {}
    for line in text.splitlines():
        if not line.strip():
            continue
        parts = _read_pairs(line)
        if parts is None:
            return None
        found |= parts
    return found or None


def coerce(text: str) -> JsonValue:
    """A number is one as JSON writes it: 007 is a name."""
    if text.lower() in CONSTANTS:
        return CONSTANTS[text.lower()]
    if INTEGER.fullmatch(text):
        return whole(text)
    return real(text) if REAL.fullmatch(text) else make_readable(text)


def find_marks(text: str, start: int = 0) -> Iterator[tuple[int, str, int]]:
    """Yields brackets and commas outside quotes: where, which, and how many brackets are open after it.

    A quote opens only where a value may begin: an apostrophe does not.
    """
    depth = 0
    quote = ""
    for mark in MARK.finditer(text, start):
        char = mark.group()
        if char.startswith("\\"):
            continue
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char if _character_before(text, start, mark.start()) in BEFORE_A_QUOTE else ""
        else:
            depth += (char in "([{") - (char in ")]}")
            yield mark.start(), char, depth


def _character_before(text: str, start: int, position: int) -> str:
    while position > start and text[position - 1].isspace():
        position -= 1
    return text[position - 1] if position > start else ""


def _read_pairs(line: str) -> dict[str, JsonValue] | None:
    """A comma that begins no other pair belongs to the value."""
    found = [PAIR.fullmatch(part) for part in _split_at_commas(line)]
    if all(found):
        return {pair["key"]: _parse_value(pair["value"].strip()) for pair in found if pair}
    alone = PAIR.fullmatch(line)
    return {alone["key"]: _parse_value(alone["value"].strip())} if alone else None


def _split_at_commas(line: str) -> list[str]:
    parts: list[str] = []
    begin = 0
    for position, mark, depth in find_marks(line):
        if mark == "," and depth == 0:
            parts.append(line[begin:position])
            begin = position + 1
    parts.append(line[begin:])
    return [part for part in parts if part.strip()]


def _parse_value(text: str) -> JsonValue:
    if text[:1] in ("[", '"') and (found := value_of(text)) is not None:
        return found[0]
    inner = object_at(text, 0)
    if inner is not None and not text[inner[1] :].strip():
        return inner[0]
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'`":
        return make_readable(text[1:-1])
    return coerce(text)
