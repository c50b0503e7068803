"""Interface of tool servers: MCP servers, and the gateway's built-in tools."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from tarsy_contracts.builtin_tools import OWN_SERVER
from tarsy_contracts.events import Outcome
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_worker.claim_types import ServerLimits
from tarsy_worker.runner import MayStart, always


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """`text` is as the server or we put it: not masked yet. `nulls_left_out`: arguments that were not sent."""

    outcome: Outcome
    text: str
    nulls_left_out: tuple[str, ...] = ()


class ToolServer(Protocol):
    @property
    def limits(self) -> ServerLimits: ...

    async def call(self, request: ToolCallRequest, may_start: MayStart = always) -> ToolOutput:
        """One call, and what came of it: every way in which it can go wrong has one outcome."""
        ...


async def call_tool(
    servers: Mapping[str, ToolServer], request: ToolCallRequest, may_start: MayStart = always
) -> ToolOutput:
    server = servers.get(request.server)
    if server is None:
        known = ", ".join(sorted(servers.keys() - {OWN_SERVER}))
        return ToolOutput("rejected", f"There is no MCP server {request.server}. There are: {known}")
    return await server.call(request, may_start)


def describe_unknown_outcome(tool: str, why: str) -> str:
    """The sentence, for agent and reader, about a call that must not be made twice."""
    return f"Outcome unknown: {tool} may or may not have run ({why}). Check before repeating it."
