"""Listing of an MCP server's tools, over all pages, and which of them may be run twice."""

from mcp import Client
from mcp_types import Tool

from tarsy_tool_gateway.errors import ToolGatewayError
from tarsy_tool_gateway.mcp.messages.listings import MOST_TOOLS, TOO_MANY
from tarsy_tool_gateway.mcp.server_plan import ServerPlan
from tarsy_tool_gateway.mcp.tool_access import is_read_only

MOST_PAGES = 100


class ListingRefusedError(ToolGatewayError):
    """The server lists more than is taken. The operator of the server must act: the next list will be no other."""


async def list_all_tools(client: Client) -> dict[str, Tool]:
    """By name, and never from the client's cache. Raises ListingRefusedError."""
    tools: dict[str, Tool] = {}
    requested: set[str | None] = set()
    cursor: str | None = None
    while len(requested) < MOST_PAGES:
        requested.add(cursor)
        page = await client.list_tools(cursor=cursor, cache_mode="refresh")
        tools |= {tool.name: tool for tool in page.tools}
        if len(tools) > MOST_TOOLS:
            raise ListingRefusedError(TOO_MANY)
        cursor = page.next_cursor
        if cursor is None:
            return tools
        if cursor in requested:
            raise ListingRefusedError("its list of tools comes around again and again")
    raise ListingRefusedError(f"its list of tools has more than {MOST_PAGES} pages")


def is_repeatable(tool: Tool, plan: ServerPlan) -> bool:
    """Whether running it twice is harmless. The configuration knows best; what nobody says anything about is not.

    The other hints of a read-only tool mean nothing, by the protocol: many servers send their defaults along.
    """
    if tool.name in plan.unrepeatable_tools:
        return False
    if tool.name in plan.repeatable_tools:
        return True
    return is_read_only(tool, plan) or (tool.annotations is not None and tool.annotations.idempotent_hint is True)
