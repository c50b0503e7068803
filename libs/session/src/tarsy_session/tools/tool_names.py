"""Tool names for models. Pure.

Models take only letters, digits, `_` and `-`, and at most 64 of them; servers name their tools as they like. A changed
name cannot be read back: the real names stand beside it, in the offer.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from hashlib import sha256

MOST_CHARACTERS = 64
NOT_TAKEN = re.compile(r"[^a-zA-Z0-9_-]")
LAST_RESORT = 32
DIGITS = (0, 8, LAST_RESORT)
"""Digits of the digest behind the name: more where fewer do not tell it from another."""

type ToolKey = tuple[str, str]
"""The server, and what it calls the tool."""


def names_of(tools: Iterable[ToolKey]) -> Mapping[ToolKey, str]:
    """Returns a name for each, whatever the order: `server__tool` where it can be, else with a digest behind it."""
    levels = dict.fromkeys(tools, 0)
    while clashing := _find_clashing(levels):
        for tool in clashing:
            levels[tool] += 1
    return {tool: _name_at_level(tool, level) for tool, level in levels.items()}


def key_of_name(name: str, servers: Iterable[str]) -> ToolKey:
    """Returns the server that a name begins with, and the rest; no server where it begins with none of these."""
    found = [server for server in servers if name.startswith(_prefix_of_server(server))]
    server = max(found, key=len, default="")
    return server, name.removeprefix(_prefix_of_server(server)) if server else name


def _prefix_of_server(server: str) -> str:
    return NOT_TAKEN.sub("_", f"{server}__")


def _find_clashing(levels: Mapping[ToolKey, int]) -> list[ToolKey]:
    """Returns all whose name another has, too, and that can still get a longer one."""
    taken: dict[str, list[ToolKey]] = defaultdict(list)
    for tool, level in levels.items():
        taken[_name_at_level(tool, level)].append(tool)
    last = len(DIGITS) - 1
    return [tool for same in taken.values() if len(same) > 1 for tool in same if levels[tool] < last]


def _name_at_level(tool: ToolKey, level: int) -> str:
    server, name = tool
    plain = NOT_TAKEN.sub("_", f"{server}__{name}")
    if not (plain[0].isalpha() or plain[0] == "_"):
        # Some models want a letter first.
        plain = f"_{plain}"
    digits = DIGITS[level]
    if len(plain) > MOST_CHARACTERS:
        digits = max(digits, DIGITS[1])
    if not digits:
        return plain
    digest = sha256(f"{server}\0{name}".encode(errors="surrogatepass")).hexdigest()[:digits]
    return f"{plain[: MOST_CHARACTERS - digits - 1]}_{digest}"
