"""`tarsy session`: what an operator does about sessions that are set aside."""

from typing import Annotated
from uuid import uuid4

import typer
from pydantic import JsonValue

from tarsy_cli.api import ApiError, post
from tarsy_cli.lists.held import print_held
from tarsy_cli.session_commands import UrlOption, api_of, exit_on_failure
from tarsy_cli.terminal import DEFAULT_HOME, HomeOption, console, fail, say

SessionsArgument = Annotated[list[str], typer.Argument(help="their ids, as `tarsy session held` shows them")]

session = typer.Typer(no_args_is_help=True, help="Sessions that are set aside, and what becomes of them.")


@session.command("held")
def held(home: HomeOption = DEFAULT_HOME, url: UrlOption = "") -> None:
    """List the sessions that are set aside, and why."""
    api = api_of(home, url)
    with exit_on_failure(api):
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
    """All of them are asked for; one that is refused makes the command fail."""
    refused: list[str] = []
    for session_id in sessions:
        try:
            answer = post(f"{api}/sessions/{session_id}/{verb}", body, idempotency_key=str(uuid4()))
            say(f"{session_id}: {answer.get('message', '')}")
        except ApiError as problem:
            refused.append(f"{session_id}: {problem}")
    if refused:
        raise fail("\n".join(refused))
