"""Server of the built-in tools. No catalog has them: the orchestrator knows them, and decides which agents get them."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_tool_gateway.tool_servers import ToolOutput
from tarsy_worker.claim_types import ServerLimits
from tarsy_worker.runner import MayStart, always

LIMITS = ServerLimits(concurrent=16, queue=256)

type BuiltinTool = Callable[[ToolCallRequest], Awaitable[ToolOutput]]


@dataclass(frozen=True, slots=True)
class BuiltinToolServer:
    """All of its tools only read, so that a call that took too long can be made again."""

    tools: Mapping[str, BuiltinTool]
    limits: ServerLimits = LIMITS

    async def call(self, request: ToolCallRequest, may_start: MayStart = always) -> ToolOutput:
        tool = self.tools.get(request.tool)
        if tool is None:
            return ToolOutput("rejected", f"The tool gateway has no tool {request.tool} of its own.")
        try:
            async with asyncio.timeout(request.timeout_seconds):
                return await tool(request)
        except TimeoutError:
            return ToolOutput("unavailable", f"{request.tool} took longer than {request.timeout_seconds:g} seconds.")
