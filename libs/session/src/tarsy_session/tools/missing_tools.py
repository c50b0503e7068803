"""Tools that the operator's instructions name and that an agent does not have. Pure, and linear in the texts.

A word is a missing tool when the catalog has it and does not offer it, or when it looks like one. A tool-like word has
a server's name, is called a tool, or begins like the server's tools. A word that offered tools say of themselves (a
parameter, a kind, a field) is none.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tarsy_contracts.chain import NATIVE_TOOLS, ResolvedAgent
from tarsy_contracts.events import OfferedTool

MOST_READ = 50_000
"""Characters of one text that are looked at."""
MOST_NAMED = 10
MOST_COMPARED = 50
"""Each is looked for in all that the offered tools say."""
MOST_LONG = 100

WORD = re.compile(r"[\w.\-/:$%*]+")
SNAKE = re.compile(r"[a-z][a-z0-9]*(?:_+[a-z0-9]+)+")
MARKS = re.compile(r"[_.\-]+")
CALLING = frozenset({"call", "invoke", "tool", "tools"})
CALLED = frozenset({"tool", "tools"})
END_OF_VALUE = re.compile(
    "at|bucket|bytes|code|count|created|date|days?|enabled|errors?|failed|field|hours|ids?|info|key|labels?|level|limit"
    "|max|min|minutes|mode|names?|ns|only|path|percent|phase|port|ratio|ready|seconds|size|state|status|sum|time"
    "|timeout|timestamp|total|type|url|usage|value|version"
)
"""Last word of what is measured or stored: `node_memory_bytes`, `update_time`. No tool is called so."""


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of the instructions. `quoted`: in backticks. `as_tool`: the text calls it a tool."""

    text: str
    quoted: bool
    as_tool: bool


def find_missing_tools(
    agent: ResolvedAgent,
    offered: Sequence[OfferedTool],
    catalogued: Sequence[OfferedTool],
    described: Mapping[str, str],
) -> tuple[str, ...]:
    """`catalogued`: all tools of the stage's servers. `described`: by the names of offered tools, all that they say."""
    texts = [described.get(tool.definition.name, "") for tool in offered]
    found: list[str] = []
    seen: set[str] = set()
    for named in _find_tool_words(agent, offered, catalogued):
        key = _normalize_name(named.text)
        if key in seen:
            continue
        seen.add(key)
        if named.as_tool or not any(_stands_in(named.text, text) for text in texts):
            found.append(named.text)
        if len(found) == MOST_NAMED or len(seen) == MOST_COMPARED:
            break
    return tuple(found)


def _find_tool_words(
    agent: ResolvedAgent, offered: Sequence[OfferedTool], catalogued: Sequence[OfferedTool]
) -> Iterator[_Word]:
    """Yields words that would be tools. `as_tool` now says that it is certain."""
    present = {key for tool in offered for key in _keys_of_tool(tool)} | {
        _normalize_name(tool) for tool in NATIVE_TOOLS
    }
    servers = {server.server for server in agent.servers}
    sections = [(server.instructions, {server.server}) for server in agent.servers]
    for text, of in [*sections, (agent.custom_instructions, servers)]:
        tools = [tool for tool in catalogued if tool.server in of]
        if not tools:
            continue
        known = {key for tool in tools for key in _keys_of_tool(tool)}
        beginnings = {
            _normalize_name(tool.tool).partition("_")[0] for tool in tools if "_" in _normalize_name(tool.tool)
        }
        for word in _split_words(text[:MOST_READ]):
            key = _normalize_name(word.text)
            if len(word.text) > MOST_LONG or key in present:
                continue
            certain = key in known and "_" in key
            if certain or _is_qualified(word.text, servers):
                yield _Word(word.text, word.quoted, as_tool=True)
            elif (key in known and word.quoted) or _looks_like_tool(word, beginnings):
                yield _Word(word.text, word.quoted, as_tool=False)


def _split_words(text: str) -> Iterator[_Word]:
    found = [(match[0].rstrip(".:-"), match.start()) for match in WORD.finditer(text)]
    for index, (word, start) in enumerate(found):
        before = found[index - 1][0].lower() if index else ""
        after = found[index + 1][0].lower() if index + 1 < len(found) else ""
        quoted = text[start - 1 : start] == "`" and text[start + len(word) : start + len(word) + 1] == "`"
        if word:
            yield _Word(word, quoted, as_tool=before in CALLING or after in CALLED)


def _is_qualified(word: str, servers: set[str]) -> bool:
    """Whether it bears the name of a server: `kubernetes__exec`, `kubernetes.pods_exec`; `kubernetes.io` does not."""
    for server in servers:
        if word.startswith(f"{server}__") and word[len(server) + 2 :].replace("_", "").isalnum():
            return True
        if word.startswith(f"{server}.") and SNAKE.fullmatch(word[len(server) + 1 :]):
            return True
    return False


def _looks_like_tool(word: _Word, beginnings: set[str]) -> bool:
    if not SNAKE.fullmatch(word.text):
        return False
    first, *_, last = _normalize_name(word.text).split("_")
    return word.as_tool or (first in beginnings and not END_OF_VALUE.fullmatch(last))


def _keys_of_tool(tool: OfferedTool) -> tuple[str, str, str]:
    return (
        _normalize_name(tool.tool),
        _normalize_name(tool.definition.name),
        _normalize_name(f"{tool.server}_{tool.tool}"),
    )


def _normalize_name(name: str) -> str:
    """However it is written: in the offer, as `server.tool`, with other marks."""
    return MARKS.sub("_", name.lower()).strip("_")


def _stands_in(word: str, text: str) -> bool:
    """As a whole word."""
    position = text.find(word)
    while position >= 0:
        around = text[max(position - 1, 0) : position] + text[position + len(word) : position + len(word) + 1]
        if not any(sign.isalnum() or sign == "_" for sign in around):
            return True
        position = text.find(word, position + 1)
    return False
