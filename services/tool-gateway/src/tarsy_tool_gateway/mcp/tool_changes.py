"""Change notifications of a server's tools: a subscription in today's protocol, notifications in the older one."""

import asyncio
from collections.abc import Callable

import anyio
import structlog
from mcp import Client, MCPError
from mcp.client.session import IncomingMessage
from mcp.client.subscriptions import SubscriptionLost
from mcp_types import METHOD_NOT_FOUND, ToolListChangedNotification
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from tarsy_bus.retries import draw_growing_pauses

log = structlog.get_logger(__name__)

ACKNOWLEDGED_SECONDS = 10.0
FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 60.0
LOST = (TimeoutError, MCPError, SubscriptionLost, anyio.ClosedResourceError, anyio.BrokenResourceError)


def is_about_tools(message: IncomingMessage) -> bool:
    return isinstance(message, ToolListChangedNotification)


async def follow_tool_changes(client: Client, changed: Callable[[], None]) -> None:
    """For ever, or until there is nothing to subscribe to. The next check finds a change that was missed."""
    offered = client.server_capabilities.tools
    if client.protocol_version not in MODERN_PROTOCOL_VERSIONS or offered is None or not offered.list_changed:
        return
    pauses = draw_growing_pauses(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS)
    while True:
        try:
            async with asyncio.timeout(ACKNOWLEDGED_SECONDS) as limit:
                async with client.listen(tools_list_changed=True) as changes:
                    limit.reschedule(None)
                    pauses = draw_growing_pauses(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS)
                    changed()  # nothing tells what happened before this
                    async for _ in changes:
                        changed()
        except LOST as problem:
            if isinstance(problem, MCPError) and problem.code == METHOD_NOT_FOUND:
                return
            log.debug("mcp_server.subscription_lost", problem=type(problem).__name__)
        # It may have ended because the server did.
        changed()
        await asyncio.sleep(next(pauses))
