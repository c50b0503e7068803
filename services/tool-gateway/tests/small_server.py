"""An MCP server with a tool for each thing that can go wrong. It notes its calls in the file CALLS."""

import asyncio
import json
import os
import sys
from pathlib import Path

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations

server = MCPServer("small")
READ_ONLY = ToolAnnotations(read_only_hint=True)
IDEMPOTENT = ToolAnnotations(idempotent_hint=True)
PASSWORD = "password: hunter2-very-secret"


def note(line: str) -> None:
    with Path(os.environ["CALLS"]).open("a", encoding="utf-8") as file:
        file.write(line + "\n")


async def pause(seconds: float) -> None:
    """Shorter, once a test has put the file GO beside CALLS."""
    clock, go = asyncio.get_running_loop().time, Path(os.environ["CALLS"]).with_name("GO")
    end = clock() + seconds
    while clock() < end and not go.exists():  # noqa: ASYNC110 - a file tells nobody
        await asyncio.sleep(min(0.02, max(0.0, end - clock())))


@server.tool(annotations=READ_ONLY, structured_output=False)
async def echo(text: str) -> str:
    """Says it again."""
    note(f"echo {text}")
    return text


@server.tool(annotations=IDEMPOTENT, structured_output=False)
async def slow(seconds: float) -> str:
    """Answers after a while."""
    note("slow begins")
    try:
        await pause(seconds)
    except asyncio.CancelledError:
        note("slow is cancelled")
        raise
    return "at last"


@server.tool(structured_output=False)
async def destroy(name: str, seconds: float = 0.0) -> str:
    """Can be undone by nobody."""
    note(f"destroy {name}")
    await pause(seconds)
    return f"{name} is gone"


@server.tool(structured_output=False)
async def die() -> str:
    """Takes the whole server with it."""
    note("die")
    os._exit(3)


@server.tool(annotations=READ_ONLY, structured_output=False)
async def die_once(marker: str) -> str:
    """Dies when it is called for the first time."""
    note("die_once")
    file = Path(os.environ["CALLS"]).with_name(marker)
    if not file.exists():
        file.touch()
        os._exit(3)
    return "alive again"


@server.tool(annotations=READ_ONLY, structured_output=False)
async def big(lines: int) -> str:
    """A long log with a secret in it."""
    return "".join(f"{number:07} {'é' * 40} {PASSWORD if number == 1000 else ''}\n" for number in range(lines))


@server.tool(annotations=READ_ONLY, structured_output=False)
async def fail(message: str) -> str:
    """Refuses with a message."""
    raise ToolError(message)


@server.tool(annotations=READ_ONLY, structured_output=False)
async def variables() -> str:
    """The names in its environment."""
    return " ".join(sorted(os.environ))


@server.tool(annotations=READ_ONLY, structured_output=False)
async def process_id() -> str:
    """Whom to kill."""
    return str(os.getpid())


@server.tool(annotations=READ_ONLY, structured_output=False)
async def complain(text: str) -> str:
    """Writes to standard error."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()
    return "done"


@server.tool(annotations=READ_ONLY, structured_output=False)
async def heard(context: Context) -> str:
    """The HTTP headers of this very request."""
    return json.dumps(dict(context.headers or {}))


def main() -> None:
    # Not the protocol: many servers print a greeting.
    sys.stdout.write(f"starting, {PASSWORD}\n")
    sys.stdout.flush()
    server.run("stdio")


if __name__ == "__main__":
    main()
