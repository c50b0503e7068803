"""JSON as models write it: Python's words and quotes, names without quotes, a comma too many. Pure, in linear time.

Ambiguous text is not read at all.
"""

import json
import re

from pydantic import JsonValue

from tarsy_contracts.errors import ContractError

DEEPEST = 64
MOST_PIECES = 4_000
"""Limit of an object that has to be mended. JSON may be longer: its parser is a hundred times faster."""
INT64 = 2**63
TOKEN = re.compile(
    r"""
      (?P<blank>\s++)
    | (?P<double>"(?:[^"\\]|\\.)*+")
    | (?P<single>'(?:[^'\\]|\\.|'(?!\s*+[,:}\]]))*+')
    | (?P<mark>[{}\[\]:,])
    | (?P<word>[^\s{}\[\]:,"']++)
    """,
    re.VERBOSE | re.DOTALL,
)
ESCAPED = re.compile(r'\\(u[0-9a-fA-F]{4}|.)|"', re.DOTALL)
HALF = re.compile("[\ud800-\udfff]")
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
WORDS = {"True": "true", "False": "false", "None": "null", "true": "true", "false": "false", "null": "null"}


class TooDeepError(ContractError, ValueError):
    """Nested deeper than real arguments are; later readers have limits too. The model writes flatter ones."""


def whole(number: str) -> int | str:
    """Text where 64 bits do not hold it."""
    value = int(number) if len(number) <= 20 else INT64
    return value if -INT64 <= value < INT64 else number


def real(number: str) -> float | str:
    """Text where it is infinite."""
    value = float(number)
    return number if value in (float("inf"), float("-inf")) else value


DECODER = json.JSONDecoder(strict=False, parse_int=whole, parse_float=real, parse_constant=str)


def value_of(text: str) -> tuple[JsonValue] | None:
    """Returns the value of a text that is JSON and nothing else: a tuple of one, as null is a value too."""
    found = _decode_at(text, 0)
    return (found[0],) if found is not None and not text[found[1] :].strip() else None


def object_at(text: str, start: int) -> tuple[dict[str, JsonValue], int] | None:
    """Returns the object that begins there, and where it ends."""
    if not text.startswith("{", start):
        return None
    found = _decode_at(text, start)
    if found is None and (mended := _mend_at(text, start)) is not None:
        inner = value_of(mended[0])
        found = (inner[0], mended[1]) if inner is not None else None
    return (found[0], found[1]) if found is not None and isinstance(found[0], dict) else None


def make_readable(text: str) -> str:
    """Half a character (a lone surrogate) has no bytes, and no event could hold it."""
    return text if text.isascii() else HALF.sub("\ufffd", text)


def _decode_at(text: str, start: int) -> tuple[JsonValue, int] | None:
    try:
        value, end = DECODER.raw_decode(text, start)
        return _clean_value(value, 0), end
    except (ValueError, RecursionError):
        return None


def _clean_value(value: JsonValue, depth: int) -> JsonValue:
    if depth > DEEPEST:
        raise TooDeepError
    match value:
        case str():
            return make_readable(value)
        case list():
            return [_clean_value(item, depth + 1) for item in value]
        case dict():
            return {make_readable(key): _clean_value(item, depth + 1) for key, item in value.items()}
        case _:
            return value


def _mend_at(text: str, start: int) -> tuple[str, int] | None:
    """Reads no further where the nesting is too deep: each bracket of a row would cost all that follow."""
    pieces: list[str] = []
    depth = 0
    position = start
    while depth <= DEEPEST and len(pieces) < MOST_PIECES and (token := TOKEN.match(text, position)):
        position = token.end()
        piece = _mend_piece(token)
        if piece in ("}", "]") and pieces[-1:] == [","]:
            pieces.pop()
        if piece:
            pieces.append(piece)
        depth += (piece in ("{", "[")) - (piece in ("}", "]"))
        if depth == 0:
            return "".join(pieces), position
    return None


def _mend_piece(token: re.Match[str]) -> str:
    written = token.group()
    match token.lastgroup:
        case "blank":
            return ""
        case "double" | "single":
            return f'"{ESCAPED.sub(_mend_escape, written[1:-1])}"'
        case "word" if written in WORDS or NUMBER.fullmatch(written):
            return WORDS.get(written, written)
        case "word":
            return json.dumps(written)
        case _:
            return written


def _mend_escape(match: re.Match[str]) -> str:
    """A backslash that JSON does not know (of a regular expression, say) stands for itself."""
    match match[1]:
        case None:
            return '\\"'
        case "'":
            return "'"
        case after if after[0] in '"\\/bfnrt' or len(after) == 5:
            return match[0]
        case after:
            return f"\\\\{after}"
