"""`tarsy held`: what an operator does about sessions that are set aside."""

from typing import TYPE_CHECKING, Annotated

import typer

from tarsy_cli.console.terminal import get_console, print_json
from tarsy_cli.options import DEFAULT_HOME, HomeOption, JsonOption, UrlOption
from tarsy_cli.session_commands import api_of, exit_on_failure

if TYPE_CHECKING:
    from pydantic import JsonValue

SessionsArgument = Annotated[
    list[str], typer.Argument(help="their ids, as `tarsy held` shows them, or their beginnings")
]


def list_held(as_json: JsonOption = False, home: HomeOption = DEFAULT_HOME, url: UrlOption = "") -> None:
    """List the sessions that are set aside, and why."""
    from tarsy_cli.lists.held import print_held, read_held

    api = api_of(home, url)
    with exit_on_failure(api):
        if as_json:
            print_json(read_held(api))
        else:
            print_held(api, get_console())


def release(sessions: SessionsArgument, home: HomeOption = DEFAULT_HOME, url: UrlOption = "") -> None:
    """Release sessions, with the inputs that wait for them, for example after an upgrade."""
    _ask_of_held("release", sessions, api_of(home, url))


def retry(sessions: SessionsArgument, home: HomeOption = DEFAULT_HOME, url: UrlOption = "") -> None:
    """Retry sessions, with the inputs that wait for them. It does the same as release."""
    _ask_of_held("retry", sessions, api_of(home, url))


def end(
    sessions: SessionsArgument,
    reason: Annotated[str, typer.Option("--reason", help="the session's error, as people read it")],
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """End sessions as failed. The inputs that wait for them become dead letters."""
    _ask_of_held("fail", sessions, api_of(home, url), {"reason": reason})


def _ask_of_held(verb: str, sessions: list[str], api: str, body: "JsonValue" = None) -> None:
    from tarsy_cli.session.requests import ask_of_sessions
    from tarsy_cli.session_ids import find_held_candidates

    ask_of_sessions(verb, sessions, api, body, find_held_candidates)
