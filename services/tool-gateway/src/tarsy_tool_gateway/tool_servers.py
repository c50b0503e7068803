"""Who runs tools: MCP servers, and the gateway itself."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from tarsy_contracts.events import Outcome
from tarsy_contracts.own_tools import OWN_SERVER
from tarsy_contracts.requests import ToolCallRequest
from tarsy_tool_gateway.calls import Limits

type MayStart = Callable[[], bool]
"""Asked last of all before a tool is told to run: a call may wait long for its MCP session."""


def always() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Said:
    """`text` is as the server or we put it: not masked yet."""

    outcome: Outcome
    text: str


class ToolServer(Protocol):
    @property
    def limits(self) -> Limits: ...

    async def call(self, request: ToolCallRequest, may_start: MayStart = always) -> Said:
        """One call, and what came of it: every way in which it can go wrong has one outcome."""
        ...


async def call_tool(servers: Mapping[str, ToolServer], request: ToolCallRequest, may_start: MayStart = always) -> Said:
    server = servers.get(request.server)
    if server is None:
        known = ", ".join(sorted(servers.keys() - {OWN_SERVER}))
        return Said("rejected", f"There is no MCP server {request.server}. There are: {known}")
    return await server.call(request, may_start)
