"""An MCP server (stdio) whose tool says how far it is: `python -m mcp_progress`."""

import asyncio

from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ToolAnnotations

STEPS, STEP_SECONDS = 4, 0.4


async def count(context: Context) -> str:
    """Counts for a while."""
    for step in range(STEPS):
        await context.report_progress(step, STEPS, f"step {step}")
        await asyncio.sleep(STEP_SECONDS)
    return "counted"


if __name__ == "__main__":
    server = MCPServer("counter")
    server.add_tool(count, annotations=ToolAnnotations(read_only_hint=True), structured_output=False)
    server.run()
