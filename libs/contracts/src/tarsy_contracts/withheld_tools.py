"""Tools that an agent does not get though its plan names their server, and the sentence that people read. Pure."""

from collections.abc import Sequence

from tarsy_contracts.wire.message import Value
from tarsy_contracts.wire.numbers import Index

MOST_NAMED = 10


class WithheldTools(Value):
    """`offered`: how many tools of the server the agent has.

    `denied`: the first of `denied_count` tools that are neither read-only nor allowed. `unknown`: the first that the
    plan selects and the server does not have. `unavailable`: why the server could not be used; empty where it could.
    """

    server: str
    offered: Index = 0
    denied: tuple[str, ...] = ()
    denied_count: Index = 0
    unknown: tuple[str, ...] = ()
    unavailable: str = ""


def describe_withheld(agent: str, withheld: WithheldTools) -> str:
    """Says what the agent does not get, why, and the line of the configuration that changes it."""
    has = "has no tools" if not withheld.offered else "does not have all tools"
    return f"{agent} {has} of the MCP server {withheld.server}: {_reason_withheld(withheld)}"


def name_tools(tools: Sequence[str], count: int) -> str:
    """Names the first of `count` tools."""
    named = [f"`{tool}`" for tool in tools[:MOST_NAMED]]
    if count > len(named):
        return f"{', '.join(named)} and {count - len(named)} more"
    return ", ".join(named[:-1]) + " and " * (len(named) > 1) + "".join(named[-1:])


def line_to_allow(server: str, tools: Sequence[str]) -> str:
    """The line of `tarsy.yaml` that allows these tools."""
    return f"`mcp_servers.{server}.allow: [{', '.join(tools[:MOST_NAMED])}]`"


def _reason_withheld(withheld: WithheldTools) -> str:
    if withheld.unavailable:
        return f"it could not be used ({withheld.unavailable})."
    reasons = []
    if withheld.denied:
        verb, pronoun = ("is", "it") if withheld.denied_count == 1 else ("are", "them")
        named = name_tools(withheld.denied, withheld.denied_count)
        line = line_to_allow(withheld.server, withheld.denied)
        reasons.append(f"{named} {verb} not read-only and not allowed. To allow {pronoun}: {line} in tarsy.yaml.")
    if withheld.unknown:
        reasons.append(f"It has no {name_tools(withheld.unknown, len(withheld.unknown))}, which the plan selects.")
    return " ".join(reasons) or "it lists none."
