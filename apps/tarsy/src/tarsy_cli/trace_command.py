"""The command about the record of a session: `tarsy trace`."""

from typing import TYPE_CHECKING, Annotated

import typer

from tarsy_cli.console.terminal import fail, print_json
from tarsy_cli.options import DEFAULT_HOME, USAGE, HomeOption, JsonOption, SessionArgument, UrlOption
from tarsy_cli.session_commands import api_of, exit_on_failure, session_of

if TYPE_CHECKING:
    from tarsy_contracts.api.trace import LlmInteraction, McpInteraction, SessionTrace


def trace(
    session: SessionArgument,
    llm: Annotated[str, typer.Option(help="show this question to a model: all that was sent, and the answer")] = "",
    mcp: Annotated[str, typer.Option(help="show this tool call, or this list of tools")] = "",
    as_json: JsonOption = False,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """Show what models and MCP servers were given in a session, and what they answered."""
    if llm and mcp:
        raise fail("Give --llm or --mcp, not both.", code=USAGE)
    api = api_of(home, url)
    address = f"{api}/sessions/{session_of(api, session)}/trace"
    with exit_on_failure(api):
        found = _fetch_trace(address, llm, mcp)
    if as_json:
        print_json(found)
    else:
        typer.echo(_render_trace(found))


def _fetch_trace(url: str, llm: str, mcp: str) -> "LlmInteraction | McpInteraction | SessionTrace":
    from tarsy_cli.api import get
    from tarsy_contracts.api.trace import LlmInteraction, McpInteraction, SessionTrace

    if llm:
        return LlmInteraction.model_validate(get(f"{url}/llm/{llm}"))
    if mcp:
        return McpInteraction.model_validate(get(f"{url}/mcp/{mcp}"))
    return SessionTrace.model_validate(get(url))


def _render_trace(found: "LlmInteraction | McpInteraction | SessionTrace") -> str:
    from tarsy_cli.lists.traces import llm_text, mcp_text, trace_lines
    from tarsy_contracts.api.trace import LlmInteraction, McpInteraction, SessionTrace

    match found:
        case LlmInteraction():
            return llm_text(found)
        case McpInteraction():
            return mcp_text(found)
        case SessionTrace():
            return "\n".join(trace_lines(found))
