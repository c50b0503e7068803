"""Bounds of a list of tools, held before anything is made of it. One entry that is too deep costs itself. Pure."""

import json
import re
from collections.abc import Iterator

from tarsy_tool_gateway.mcp.messages.json_reading import Json, Raw, UnreadableError, read_json

LISTING = "tools/list"
MOST_TOOLS = 1000
TOO_MANY = f"it lists more than {MOST_TOOLS} tools"
MOST_LISTING_BYTES = 8 * 1024 * 1024
"""The limit of all pages together. Parsed JSON in Python takes about ten times as much memory."""
MOST_LEVELS = 150
"""The limit of a whole message: the reader of JSON takes 200."""
ENTRY_LEVEL = 3
"""Brackets that are open around an entry: of the message, the result and the list."""
SCHEMA = b'"inputSchema"'
TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
NAME = re.compile(rb'"name"\s*:\s*("[^"\\]{1,128}")')


def read_listing(raw: Raw) -> Json:
    """The message with the listing in it. Raises UnreadableError."""
    if len(raw) > MOST_LISTING_BYTES:
        raise UnreadableError(too_long(len(raw)))
    if raw.count(SCHEMA) > MOST_TOOLS and _has_more_entries(raw):
        raise UnreadableError(TOO_MANY)
    try:
        return read_json(raw)
    except UnreadableError:
        return Json(read_json(_without_deep_entries(raw)).value, mended=True)


def too_long(size: int) -> str:
    return f"its list of tools has {size} bytes, and may have {MOST_LISTING_BYTES}"


def _has_more_entries(raw: Raw) -> bool:
    """Stops where there is one too many."""
    return any(number > MOST_TOOLS for number, _ in enumerate(_find_entries(raw), 1))


def _without_deep_entries(raw: Raw) -> bytes:
    """The message; an entry that is too deep is its name alone."""
    kept, end = bytearray(), 0
    for start, stop, levels in _find_entries(raw):
        if levels > MOST_LEVELS:
            kept += raw[end:start] + _reduce_to_name(raw[start:stop])
            end = stop
    return bytes(kept + raw[end:])


def _reduce_to_name(entry: Raw) -> bytes:
    found = NAME.search(entry[:1024])
    return b'{"name":%s}' % (found[1] if found is not None else json.dumps("").encode())


def _find_entries(raw: Raw) -> Iterator[tuple[int, int, int]]:
    """Start, end and number of levels of each. In one pass, without recursion."""
    level = deepest = start = 0
    for token in TOKEN.finditer(raw):
        sign = token[0]
        if sign in (b"{", b"["):
            if level == ENTRY_LEVEL:
                start, deepest = token.start(), level
            level += 1
            deepest = max(deepest, level)
        elif sign in (b"}", b"]"):
            level -= 1
            if level == ENTRY_LEVEL:
                yield start, token.end(), deepest
