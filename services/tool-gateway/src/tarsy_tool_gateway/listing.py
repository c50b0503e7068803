"""The tools of an MCP server, over all pages."""

from mcp import Client
from mcp_types import Tool

MOST_PAGES = 100
MOST_TOOLS = 1000


async def list_all_tools(client: Client) -> dict[str, Tool]:
    """By name, and never from the client's cache. Raises ValueError for a list that does not end."""
    tools: dict[str, Tool] = {}
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        page = await client.list_tools(cursor=cursor, cache_mode="refresh")
        tools |= {tool.name: tool for tool in page.tools}
        if len(tools) > MOST_TOOLS:
            raise ValueError(f"it lists more than {MOST_TOOLS} tools")
        cursor = page.next_cursor
        if cursor is None:
            return tools
    raise ValueError(f"its list of tools has more than {MOST_PAGES} pages")


def is_repeatable(tool: Tool, declared: frozenset[str]) -> bool:
    """Whether running it twice is harmless. What nobody says anything about is not."""
    notes = tool.annotations
    hinted = notes is not None and (notes.read_only_hint is True or notes.idempotent_hint is True)
    return hinted or tool.name in declared
