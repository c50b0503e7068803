"""An MCP server whose tools come and go, over streamable HTTP in both eras, or over stdio without a port."""

import sys

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp_types import ToolAnnotations
from pydantic import BaseModel

server = MCPServer("changing", version="3.2.1")


@server.tool(annotations=ToolAnnotations(title="Adds", read_only_hint=False), structured_output=False)
async def add(name: str, context: Context) -> str:
    """Makes a tool, and says so."""

    async def added() -> str:
        return f"{name} it is"

    server.add_tool(added, name=name, description="A late one.", structured_output=False)
    await tell(context)
    return "added"


@server.tool(structured_output=False)
async def remove(name: str, context: Context) -> str:
    """Takes a tool away, and says so."""
    server.remove_tool(name)
    await tell(context)
    return "removed"


class Answer(BaseModel):
    yes: bool


@server.tool(structured_output=False)
async def ask(context: Context) -> str:
    """Wants to know something of the user, who is not there."""
    answer = await context.elicit("May I?", Answer)
    return str(answer)


class Filled(BaseModel):
    namespace: str = "shop"
    lines: int = 50


@server.tool(structured_output=False)
async def filled(context: Context) -> str:
    answer = await context.elicit("What do you want to see?", Filled)
    return f"{answer.action} {getattr(answer, 'data', '')}"


async def tell(context: Context) -> None:
    await context.notify_tools_changed()
    await context.session.send_tool_list_changed()


if __name__ == "__main__":
    if len(sys.argv) == 1:
        server.run("stdio")
    else:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
