"""The command about results of tool calls: `tarsy result`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tarsy_cli.console.terminal import fail
from tarsy_cli.options import DEFAULT_HOME, USAGE, HomeOption, SessionArgument, UrlOption
from tarsy_cli.session_commands import api_of, exit_on_failure, session_of

if TYPE_CHECKING:
    from tarsy_contracts.api.trace import ListedMcpInteraction

SHORTEST_ID = 8

type QueryParameters = dict[str, str | int]


def result(
    session: SessionArgument,
    call: Annotated[
        str, typer.Argument(help="the call's number, or the beginning of its id; without it, all calls are listed")
    ] = "",
    search: Annotated[str, typer.Option(help="only lines that match this RE2 expression")] = "",
    ignore_case: Annotated[bool, typer.Option("--ignore-case", help="ignore case in the search")] = False,
    context: Annotated[int, typer.Option(min=0, max=10, help="lines around each match")] = 2,
    offset: Annotated[int, typer.Option(min=0, help="the line to begin at, counted from 0")] = 0,
    byte: Annotated[int, typer.Option(min=0, help="the byte to begin at in that line, for a very long one")] = 0,
    lines: Annotated[int | None, typer.Option(min=1, max=2000, help="how many lines; in a search at most 50")] = None,
    begin: Annotated[str, typer.Option("--from", help="only lines from this time on: 2026-11-22T10:05:00Z")] = "",
    until: Annotated[str, typer.Option(help="only lines up to this time, which is included")] = "",
    output: Annotated[Path | None, typer.Option(help="write the whole result to this file instead")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON, for programs: the API's answer")] = False,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """Show the result of a tool call, including what the agent was not shown: lines, a search, a span of time.

    Without a call, list the calls of the session with their numbers.
    """
    from tarsy_cli.api import get
    from tarsy_cli.lists.results import note_of, text_of
    from tarsy_contracts.api.results import ToolCallResult

    asked = _query_parameters(
        search=search, ignore_case=ignore_case, context=context, offset=offset, byte=byte, lines=lines, begin=begin,
        until=until,
    )  # fmt: skip
    api = api_of(home, url)
    id = session_of(api, session)
    if not call:
        _print_calls(api, id)
        return
    address = f"{api}/sessions/{id}/tool-calls/{_call_of(api, id, call)}/result"
    if output is not None:
        if asked:
            raise fail("--output writes the whole result: leave out what chooses a part of it.", code=USAGE)
        _save_whole_result(address, output, api)
        return
    with exit_on_failure(api):
        answer = get(address, **asked)
        found = ToolCallResult.model_validate(answer)
    if as_json:
        typer.echo(json.dumps(answer, indent=2))
        return
    typer.echo(text_of(found), nl=False)
    typer.echo(note_of(found), err=True)


def _read_calls(api: str, session_id: str) -> "list[ListedMcpInteraction]":
    from tarsy_cli.api import get
    from tarsy_cli.lists.results import tool_calls_of
    from tarsy_contracts.api.trace import SessionTrace

    with exit_on_failure(api):
        return tool_calls_of(SessionTrace.model_validate(get(f"{api}/sessions/{session_id}/trace")))


def _print_calls(api: str, session_id: str) -> None:
    from tarsy_cli.lists.results import call_lines

    calls = _read_calls(api, session_id)
    for line in call_lines(calls):
        typer.echo(line)
    if not calls:
        typer.echo("No tool was called in this session.", err=True)


def _call_of(api: str, session_id: str, given: str) -> str:
    """Ids have eight characters or more: what is shorter and a number is one of the list."""
    if not given.isdecimal() or len(given) >= SHORTEST_ID:
        return given
    calls = _read_calls(api, session_id)
    if not 1 <= int(given) <= len(calls):
        raise fail(f"The session has no call {given}: `tarsy result {session_id}` lists its {len(calls)} calls.")
    return calls[int(given) - 1].id


def _query_parameters(
    *,
    search: str,
    ignore_case: bool,
    context: int,
    offset: int,
    byte: int,
    lines: int | None,
    begin: str,
    until: str,
) -> QueryParameters:
    """The parameters that were given; the API knows the rest."""
    given: QueryParameters = {"search": search, "from": begin, "until": until, "offset": offset, "byte": byte}
    if search:
        given |= {"context": context, "ignore_case": str(ignore_case).lower()}
    if lines is not None:
        given["lines"] = lines
    return {name: value for name, value in given.items() if value or name == "context"}


def _save_whole_result(result_url: str, output: Path, api: str) -> None:
    from tarsy_cli.api import download

    try:
        with exit_on_failure(api):
            size = download(f"{result_url}/download", output)
    except OSError as problem:
        raise fail(f"{output} could not be written: {problem.strerror}.") from None
    typer.echo(f"Wrote {size} bytes to {output}.", err=True)
