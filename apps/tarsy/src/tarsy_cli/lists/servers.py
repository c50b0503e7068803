"""`tarsy servers`."""

from collections.abc import Iterator
from urllib.parse import quote

from rich.console import Console
from rich.text import Text

from tarsy_cli.api import get
from tarsy_cli.console.units import format_count
from tarsy_cli.lists.agent_tools import agent_lines, read_chain_agents, read_listed_servers
from tarsy_contracts.api.agent_tools import agent_tools
from tarsy_contracts.api.system import McpServer, McpServers, McpTool, SystemWarnings
from tarsy_local.terminal_text import one_line

LINE = "{:24}  {:14}  {:>5}  {:8}  {}"
TOOL_LINE = "  {:32}  {:9}  {:10}  {}"
NONE = "No tool gateway has reported an MCP server yet: each reports those that the configuration names."


def read_servers(api: str) -> McpServers:
    """Without their tools. Raises ApiError or ValidationError."""
    return McpServers.model_validate(get(f"{api}/system/mcp-servers", tools="none"))


def read_server(api: str, name: str) -> McpServer:
    """Raises ApiError or ValidationError."""
    return McpServer.model_validate(get(f"{api}/system/mcp-servers/{quote(name, safe='')}"))


def print_servers(api: str, console: Console) -> None:
    """Raises ApiError or ValidationError."""
    servers = read_servers(api).servers
    warnings = SystemWarnings.model_validate(get(f"{api}/system/warnings")).warnings
    if servers:
        console.print(Text(LINE.format("server", "state", "tools", "gateways", "error"), style="bold"))
    else:
        console.print(NONE, markup=False)
    for server in servers:
        console.print(Text(_server_line(server)))
    agents = read_chain_agents(api)
    for found in agent_tools(agents, read_listed_servers(api) if agents else ()):
        for line in agent_lines(found):
            console.print(Text(line, style="" if found.count else "yellow"))
    for warning in warnings:
        console.print(Text(f"{one_line(warning.message)} Since {one_line(warning.created_at)}.", style="yellow"))
        console.print(Text(f"  {one_line(warning.details)}"))


def print_server(api: str, name: str, console: Console) -> None:
    """Raises ApiError or ValidationError."""
    server = read_server(api, name)
    console.print(Text(f"{one_line(server.id)}: {_state_of_server(server)}", style="bold"))
    for line in _describe_workers(server):
        console.print(Text(line))


def _describe_workers(server: McpServer) -> Iterator[str]:
    for worker in server.workers:
        yield f"  seen by {one_line(worker.worker_id)}: {one_line(worker.error or 'healthy')}"
    if login := _login_end(server):
        yield f"  {one_line(login)}"
    if server.known_as:
        yield f"  known as {one_line(server.known_as)}: docs/reference/known-servers.md says which tools are read-only"
    yield format_count(server.tool_count, "tool")
    for tool in server.tools:
        often = "repeatable" if tool.repeatable else "once"
        yield TOOL_LINE.format(one_line(tool.name), _access_of_tool(tool), often, one_line(tool.description)).rstrip()
    if server.denied_count:
        count = format_count(server.denied_count, "tool")
        yield f"{count} denied: agents do not get them, because `allow` does not name them"
    if server.refused_count:
        named = ", ".join(one_line(name) for name in server.refused_tools)
        yield f"{format_count(server.refused_count, 'tool')} left out, as the protocol does not allow them: {named}"


def _access_of_tool(tool: McpTool) -> str:
    """`asks`: each call waits for a person. Empty where an older tool gateway does not say."""
    if tool.allowed is False:
        return "denied"
    if tool.approval:
        return "asks"
    if tool.read_only:
        return "read-only"
    return "allowed" if tool.allowed else ""


def _server_line(server: McpServer) -> str:
    reaching = sum(worker.healthy for worker in server.workers)
    gateways = f"{reaching} of {len(server.workers)}"
    message = server.error or _login_end(server)
    cells = (one_line(server.id), _state_of_server(server), str(server.tool_count), gateways, one_line(message))
    return LINE.format(*cells).rstrip()


def _login_end(server: McpServer) -> str:
    return f"logged in until {server.logged_in_until}" if server.logged_in_until is not None else ""


def _state_of_server(server: McpServer) -> str:
    if server.misconfigured:
        return "misconfigured"
    if server.login_needed:
        return "needs login"
    if server.starting:
        return "starting"
    return "healthy" if server.healthy else "unreachable"
