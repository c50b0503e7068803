"""The gateway's own tools. No catalog names them: the orchestrator knows them, and says which of them agents get."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from tarsy_contracts.requests import ToolCallRequest
from tarsy_tool_gateway.tool_servers import Said
from tarsy_worker.claim_types import Limits
from tarsy_worker.runner import MayStart, always

LIMITS = Limits(concurrent=16, queue=256)

type OwnTool = Callable[[ToolCallRequest], Awaitable[Said]]


@dataclass(frozen=True, slots=True)
class OwnServer:
    """All of its tools only read, so that a call that took too long can be made again."""

    tools: Mapping[str, OwnTool]
    limits: Limits = LIMITS

    async def call(self, request: ToolCallRequest, may_start: MayStart = always) -> Said:
        tool = self.tools.get(request.tool)
        if tool is None:
            return Said("rejected", f"The tool gateway has no tool {request.tool} of its own.")
        try:
            async with asyncio.timeout(request.timeout_seconds):
                return await tool(request)
        except TimeoutError:
            return Said("unavailable", f"{request.tool} took longer than {request.timeout_seconds:g} seconds.")
