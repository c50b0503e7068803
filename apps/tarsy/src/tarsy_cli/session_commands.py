"""The commands about sessions: submit, watch, sessions."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from tarsy_cli.api import ApiError
from tarsy_cli.errors import CommandError
from tarsy_cli.lists.sessions import print_sessions
from tarsy_cli.submission import submit_file
from tarsy_cli.terminal import DEFAULT_HOME, INTERRUPTED, HomeOption, console, fail, say
from tarsy_cli.watch.session_watch import APPEAR_SECONDS, watch_session
from tarsy_local.instance import Home

UrlOption = Annotated[
    str, typer.Option("--url", help="a TARSy elsewhere, such as http://127.0.0.1:8080", envvar="TARSY_URL")
]
SessionArgument = Annotated[str, typer.Argument(help="the session's id, as `tarsy sessions` shows it")]
API_PATH = "/api/v1"


@contextmanager
def exit_on_failure(api: str) -> Iterator[None]:
    """Ends the command with one sentence when the API refuses, is away, or is none of this version."""
    try:
        yield
    except CommandError as problem:
        raise fail(str(problem)) from None
    except ValidationError:
        raise fail(f"{api} did not answer as a TARSy of this version does.") from None


def submit(
    file: Annotated[Path, typer.Argument(help="an Alertmanager webhook, a body of POST /api/v1/alerts, or any text")],
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """Send an alert, and print the sessions that investigate it."""
    try:
        for session_id in submit_file(api_of(home, url), file.read_bytes()):
            say(session_id)
    except (ApiError, OSError) as problem:
        raise fail(str(problem)) from None


def watch(
    session: SessionArgument,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """Show a session as it happens, from its beginning to its end."""
    raise exit_with(watch_to_its_end(api_of(home, url), session))


def sessions(home: HomeOption = DEFAULT_HOME, url: UrlOption = "") -> None:
    """List the latest sessions."""
    api = api_of(home, url)
    with exit_on_failure(api):
        print_sessions(api, console)


def watch_to_its_end(api: str, session: str, *, appear_seconds: float = APPEAR_SECONDS) -> str:
    """The status that it ended with."""
    try:
        with exit_on_failure(api):
            return watch_session(api, session, console, appear_seconds=appear_seconds)
    except KeyboardInterrupt:
        raise fail(f"The session goes on: `tarsy watch {session}` shows it again.", code=INTERRUPTED) from None


def exit_with(ended: str) -> typer.Exit:
    return typer.Exit(0 if ended == "completed" else 1)


def api_of(home: Path, url: str) -> str:
    if url:
        return url.rstrip("/").removesuffix(API_PATH) + API_PATH
    instance = Home(home).running()
    if instance is None or instance.state != "ready":
        raise fail(f"No TARSy is ready in {home}: start one with `tarsy up`, or name one with --url.")
    return instance.api
