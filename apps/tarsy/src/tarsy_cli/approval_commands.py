"""The commands about tool calls that wait for a person: `tarsy approvals`, `tarsy approve`, `tarsy deny`."""

from typing import Annotated, Literal

import typer

from tarsy_cli.console.terminal import get_console, print_json, say
from tarsy_cli.options import DEFAULT_HOME, HomeOption, JsonOption, SessionArgument, UrlOption
from tarsy_cli.session_commands import api_of, exit_on_failure, session_of

CallArgument = Annotated[
    str,
    typer.Argument(
        help="the call's id, as `tarsy approvals` shows it, or its beginning; if left out, the one that waits"
    ),
]
CommentOption = Annotated[str, typer.Option(help="people read it, and so does the agent when the call is denied")]


def approvals(as_json: JsonOption = False, home: HomeOption = DEFAULT_HOME, url: UrlOption = "") -> None:
    """List the tool calls that await approval."""
    from tarsy_cli.lists.approvals import print_approvals, read_approvals

    api = api_of(home, url)
    with exit_on_failure(api):
        if as_json:
            print_json(read_approvals(api))
        else:
            print_approvals(api, get_console())


def approve(
    session: SessionArgument,
    call: CallArgument = "",
    comment: CommentOption = "",
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """Approve a tool call that awaits approval: it runs at most once."""
    _send_decision("approve", session, call, comment, api_of(home, url))


def deny(
    session: SessionArgument,
    call: CallArgument = "",
    comment: CommentOption = "",
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """Deny a tool call that awaits approval: it does not run, and its agent goes on."""
    _send_decision("deny", session, call, comment, api_of(home, url))


def _send_decision(decision: Literal["approve", "deny"], session: str, call: str, comment: str, api: str) -> None:
    from tarsy_cli.lists.approvals import decide

    id = session_of(api, session)
    with exit_on_failure(api):
        say(decide(api, id, call, decision, comment))
