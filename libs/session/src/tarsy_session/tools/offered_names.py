"""Tool names as models write them, matched to the tools that are offered. Pure."""

import re
from collections.abc import Sequence

from tarsy_contracts.conversation import ToolCall
from tarsy_contracts.events import OfferedTool

LONGEST = 200
MARKS = " \t\r\n`*\"'“”<>[](){}.,;:!?→"
BETWEEN = re.compile(r"[\W_]+")
WORD = re.compile(r"[\w./:\-]+")
FIRST = re.compile(r"(?P<name>[\w./:\-]+)[`*\"'\]]*\s*(?:[(\[{#,]|[-–—:]\s|with\b|using\b)")
FOREIGN = re.compile(r"(?:functions|default_api|tools)\.")
MOST_NAMED = 100


class Names:
    """Index of the offered tools by every way in which they are written."""

    def __init__(self, tools: Sequence[OfferedTool]) -> None:
        self._exact: dict[str, set[str]] = {}
        self._full: dict[str, set[str]] = {}
        self._bare: dict[str, set[str]] = {}
        for offered in tools:
            name = offered.definition.name
            for written in (name, f"{offered.server}.{offered.tool}"):
                self._exact.setdefault(written, set()).add(name)
                self._full.setdefault(_normalize_name(written), set()).add(name)
            self._bare.setdefault(_normalize_name(offered.tool), set()).add(name)

    def find(self, written: str) -> str | None:
        """Returns the name of the tool when exactly one could be meant."""
        word = clean(written)
        # A server may be called as what models put before names by themselves.
        return self._find_meant(word) or self._find_meant(FOREIGN.sub("", word, count=1))

    def _find_meant(self, word: str) -> str | None:
        """Matches exactly first: a tool of the same letters with other marks would make it ambiguous."""
        key = _normalize_name(word)
        return _only_one(self._exact.get(word)) or _only_one(self._full.get(key)) or _only_one(self._bare.get(key))

    def find_leading(self, line: str) -> str | None:
        """Returns the tool that the line names, alone or with a remark behind it."""
        before_input, brace, _ = line[:LONGEST].partition("{")
        first = FIRST.match(before_input.lstrip(MARKS) + brace)
        return self.find(before_input) or (self.find(first["name"]) if first else None)

    def find_in_sentence(self, line: str) -> str | None:
        """Returns the one tool whose full name stands somewhere in a sentence."""
        words = (clean(word) for word in WORD.findall(line[:LONGEST]))
        found = {name for word in words if (name := _only_one(self._full.get(_normalize_name(word)))) is not None}
        return _only_one(found)


def with_offered_names(calls: Sequence[ToolCall], tools: Sequence[OfferedTool]) -> tuple[ToolCall, ...]:
    """The calls, each by the name in the offer if it means exactly one tool.

    Some models write `server.tool`, or other marks than those of the offer.
    """
    offered = {tool.definition.name for tool in tools}
    if all(call.name in offered for call in calls):
        return tuple(calls)
    names = Names(tools)
    return tuple(
        call if call.name in offered else call.model_copy(update={"name": names.find(call.name) or call.name})
        for call in calls
    )


def describe_unknown(written: str, tools: Sequence[OfferedTool]) -> str:
    """The answer to a name that no offered tool has: with the tools of its server, or with all of them."""
    if not tools:
        return f"There is no tool named {written!r}. You have no tools."
    key = _normalize_name(FOREIGN.sub("", clean(written), count=1))
    for server in {one.server: None for one in tools}:
        if key == _normalize_name(server) or key.startswith(f"{_normalize_name(server)}_"):
            of_server = [one for one in tools if one.server == server]
            return f"The server {server} has no tool named {written!r}. Its tools: {_join_names(of_server)}."
    servers = ", ".join({one.server: None for one in tools})
    return f"There is no tool named {written!r}. The servers you have: {servers}. Their tools: {_join_names(tools)}."


def _join_names(tools: Sequence[OfferedTool]) -> str:
    more = f" and {len(tools) - MOST_NAMED} more" if len(tools) > MOST_NAMED else ""
    return ", ".join(one.definition.name for one in tools[:MOST_NAMED]) + more


def clean(written: str) -> str:
    """Removes the marks around a name."""
    return " ".join(written[:LONGEST].split()).strip(MARKS)


def _normalize_name(written: str) -> str:
    return BETWEEN.sub("_", written.casefold()).strip("_")


def _only_one(found: set[str] | None) -> str | None:
    return next(iter(found)) if found is not None and len(found) == 1 else None
