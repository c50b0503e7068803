"""`tarsy session`: what an operator does about sessions that are set aside."""

from typing import Annotated

import typer
from pydantic import JsonValue

from tarsy_cli.lists.held import print_held, read_held
from tarsy_cli.session_commands import UrlOption, api_of, exit_on_failure
from tarsy_cli.session_ids import held_candidates
from tarsy_cli.session_requests import ask_of_sessions
from tarsy_cli.terminal import DEFAULT_HOME, HomeOption, JsonOption, console, print_json

SessionsArgument = Annotated[
    list[str], typer.Argument(help="their ids, as `tarsy session held` shows them, or their beginnings")
]

session = typer.Typer(no_args_is_help=True, help="Sessions that are set aside, and what becomes of them.")


@session.command("held")
def held(as_json: JsonOption = False, home: HomeOption = DEFAULT_HOME, url: UrlOption = "") -> None:
    """List the sessions that are set aside, and why."""
    api = api_of(home, url)
    with exit_on_failure(api):
        if as_json:
            print_json(read_held(api))
        else:
            print_held(api, console)


@session.command("release")
def release(sessions: SessionsArgument, home: HomeOption = DEFAULT_HOME, url: UrlOption = "") -> None:
    """Bring sessions back, with the inputs that wait for them, such as after an upgrade."""
    _ask("release", sessions, api_of(home, url))


@session.command("retry")
def retry(sessions: SessionsArgument, home: HomeOption = DEFAULT_HOME, url: UrlOption = "") -> None:
    """Decide the inputs that wait once more. The same act as release."""
    _ask("retry", sessions, api_of(home, url))


@session.command("fail")
def end(
    sessions: SessionsArgument,
    reason: Annotated[str, typer.Option("--reason", help="what people read as the session's error")],
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """End sessions as failed. The inputs that wait for them go to the dead letters."""
    _ask("fail", sessions, api_of(home, url), {"reason": reason})


def _ask(verb: str, sessions: list[str], api: str, body: JsonValue = None) -> None:
    ask_of_sessions(verb, sessions, api, body, held_candidates)
