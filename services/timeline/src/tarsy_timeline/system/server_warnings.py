"""Warnings about MCP servers for operators. They follow from what gateways see: so they go when that changes.

held_watch.py warns of sessions in the same form.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from tarsy_bus.readers.catalog import CatalogEntry
from tarsy_contracts.messages.actions import ActionsSwitched
from tarsy_contracts.wire.envelope import wire_time
from tarsy_contracts.wire.ids import derive_id
from tarsy_contracts.withheld_tools import line_to_allow
from tarsy_timeline.system.servers import ServerOfGateways

MOST_NAMED = 10
"""Workers or tools that one warning names."""
MOST_CHARACTERS = 2_000

type Category = Literal["mcp_health", "projection", "sessions", "actions", "llm_health"]
CATEGORIES: tuple[Category, ...] = ("mcp_health", "projection", "sessions", "actions", "llm_health")
type What = Literal[
    "no_gateway",
    "unreported",
    "misconfigured",
    "login_needed",
    "unreachable",
    "partly_unreachable",
    "different_tools",
    "denied_tools",
    "refused_tools",
    "unprojected",
    "set_aside",
    "actions_paused",
    "provider_failing",
]


@dataclass(frozen=True, slots=True)
class ServerWarning:
    """`began`: as far back as the topics go. `on_purpose`: the operator has written what it warns of.

    `provider`: the LLM provider that it is about.
    """

    what: What
    server: str | None
    message: str
    details: str
    began: datetime
    category: Category = "mcp_health"
    on_purpose: bool = False
    provider: str = ""

    @property
    def id(self) -> str:
        return derive_id("warning", self.what, self.server or self.provider)


def warn_of_pause(pause: ActionsSwitched | None) -> list[ServerWarning]:
    """Somebody wanted it so, and may have forgotten it."""
    if pause is None:
        return []
    message = f"{pause.author} has paused all actions: nothing is changed until `tarsy actions resume`."
    return [ServerWarning("actions_paused", None, message, pause.comment, pause.at, "actions", on_purpose=True)]


def warnings_of(
    servers: Iterable[ServerOfGateways], gateways: Collection[tuple[bool, datetime]], listening_since: datetime
) -> list[ServerWarning]:
    """`gateways`: whether each lives, and when it announced itself last. At most four warnings for a server."""
    return [
        *_warn_without_gateways(gateways, listening_since),
        *(warning for server in servers for warning in _warnings_of(server)),
    ]


def _warn_without_gateways(
    gateways: Collection[tuple[bool, datetime]], listening_since: datetime
) -> Iterator[ServerWarning]:
    if any(lives for lives, _ in gateways):
        return
    yield ServerWarning(
        what="no_gateway",
        server=None,
        message="No tool gateway is running.",
        details="No tool can be called until one starts. Calls wait for it until their deadlines.",
        began=max((at for _, at in gateways), default=listening_since),
    )


def _warnings_of(server: ServerOfGateways) -> Iterator[ServerWarning]:
    health = _health_warning(server)
    if health is not None:
        yield health
    if len({entry.tool_names for entry in server.healthy}) > 1:
        yield _warn_of_different_tools(server)
    if (denied := _warn_of_denied_tools(server)) is not None:
        yield denied
    if (refused := _warn_of_refused_tools(server)) is not None:
        yield refused


def _warn_of_denied_tools(server: ServerOfGateways) -> ServerWarning | None:
    """No warning if `allow: []` excludes further tools on purpose, and others remain."""
    entry = next(iter(server.healthy), None)
    if entry is None:
        return None
    tools = entry.seen.tools
    denied = [tool.tool for tool in tools if tool.allowed is False]
    only_reads = not entry.seen.allow_unset and all(tool.changes_nothing for tool in tools if tool.allowed)
    if not denied or (only_reads and len(denied) < len(tools)):
        return None
    all_of_them = "all tools" if len(denied) == len(tools) else _tools_phrase(len(denied))
    message = f"Agents do not get {all_of_them} of the MCP server {server.name}."
    why = "`allow` is not set" if entry.seen.allow_unset else "`allow` does not name them"
    line = line_to_allow(server.name, denied)
    details = (
        f"They are not read-only, and {why}: {_name_first_tools(denied)}. To allow them: {line}; for none: `allow: []`."
    )
    warning = _make_warning(server, "denied_tools", message, details, entry.tools_since)
    return replace(warning, on_purpose=not entry.seen.allow_unset)


def _warn_of_refused_tools(server: ServerOfGateways) -> ServerWarning | None:
    entry = next((one for one in server.healthy if one.seen.refused_count), None)
    if entry is None:
        return None
    message = f"{_tools_phrase(entry.seen.refused_count)} of the MCP server {server.name} cannot be used."
    details = f"Their names or schemas are not what the protocol allows: {_name_first_tools(entry.seen.refused_tools)}."
    return _make_warning(server, "refused_tools", message, details, entry.tools_since)


def _tools_phrase(tools: int) -> str:
    return "1 tool" if tools == 1 else f"{tools} tools"


def _name_first_tools(tools: Sequence[str]) -> str:
    more = "" if len(tools) <= MOST_NAMED else f" and {len(tools) - MOST_NAMED} more"
    return f"{', '.join(tools[:MOST_NAMED])}{more}"


def _health_warning(server: ServerOfGateways) -> ServerWarning | None:
    name, living, failing = server.name, server.living, server.failing
    if not living:
        return (
            None
            if server.left_at is None
            else _make_warning(
                server,
                "unreported",
                f"No running tool gateway reports the MCP server {name}.",
                f"The last one that did was last heard at {wire_time(server.left_at)}.",
                server.left_at,
            )
        )
    if server.misconfigured:
        return _make_warning(
            server,
            "misconfigured",
            f"The MCP server {name} is configured wrongly.",
            _join_errors(server.misconfigured),
            _first_health_change(server.misconfigured),
        )
    if server.login_needed:
        waiting = [entry for entry in failing if entry.seen.login_needed]
        message = f"The MCP server {name} needs a person to log in."
        return _make_warning(server, "login_needed", message, _join_errors(waiting), _first_health_change(waiting))
    if not failing or server.starting:
        return None
    if len(failing) == len(living):
        message = f"The MCP server {name} cannot be reached."
        return _make_warning(server, "unreachable", message, _join_errors(failing), _first_health_change(failing))
    message = f"The MCP server {name} is reached by {len(server.healthy)} of {len(living)} tool gateways."
    return _make_warning(server, "partly_unreachable", message, _join_errors(failing), _first_health_change(failing))


def _warn_of_different_tools(server: ServerOfGateways) -> ServerWarning:
    sets = [entry.tool_names for entry in server.healthy]
    differing = sorted(frozenset().union(*sets) - frozenset.intersection(*sets))
    return _make_warning(
        server,
        "different_tools",
        f"The MCP server {server.name} offers different tools to different tool gateways.",
        f"Not all of them have {_name_first_tools(differing)}.",
        max(entry.tools_since for entry in server.healthy),
    )


def _make_warning(server: ServerOfGateways, what: What, message: str, details: str, began: datetime) -> ServerWarning:
    return ServerWarning(what, server.name, message, details[:MOST_CHARACTERS], began)


def _first_health_change(entries: Collection[CatalogEntry]) -> datetime:
    """The first of those that live: one more that sees it, too, makes it no newer."""
    return min(entry.health_since for entry in entries)


def _join_errors(entries: Collection[CatalogEntry]) -> str:
    """Each error once, as several gateways mostly report the same."""
    errors = list(dict.fromkeys(entry.seen.error for entry in entries))
    return "; ".join(error or "It gives no reason." for error in errors[:MOST_NAMED])
