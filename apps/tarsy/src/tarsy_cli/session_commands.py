"""The commands about sessions: submit, watch, sessions."""

import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from tarsy_cli.console.output import OutputClosedError
from tarsy_cli.console.terminal import fail, get_console, print_json, print_note, say
from tarsy_cli.errors import CommandError
from tarsy_cli.options import DEFAULT_HOME, INTERRUPTED, HomeOption, JsonOption, SessionArgument, UrlOption
from tarsy_cli.printed_commands import with_home

API_PATH = "/api/v1"


@contextmanager
def exit_on_failure(api: str) -> Iterator[None]:
    """Ends the command with one sentence when the API refuses, is away, or is none of this version."""
    from pydantic import ValidationError

    try:
        yield
    except OutputClosedError:
        raise
    except CommandError as problem:
        raise fail(str(problem)) from None
    except ValidationError:
        raise fail(f"{api} did not answer as a TARSy of this version does.") from None


def submit(
    file: Annotated[
        Path,
        typer.Argument(
            allow_dash=True,
            help="an Alertmanager webhook, a body of POST /api/v1/alerts, or any text; - is the standard input",
        ),
    ],
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """Send an alert, and print the sessions that investigate it.

    Those that an alert joined are named on the error output, with their state.
    """
    from tarsy_cli.api import ApiError
    from tarsy_cli.submission import submit_alerts

    try:
        for one in submit_alerts(api_of(home, url), _read_content(file)):
            say(one.session_id)
            if one.joined:
                state = f", which is {one.session_status}" if one.session_status else ""
                print_note(f"The same alert came a while ago: this one is counted in {one.session_id}{state}.")
    except (ApiError, OSError) as problem:
        raise fail(str(problem)) from None


def _read_content(file: Path) -> bytes:
    return sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()


def watch(
    session: SessionArgument,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """Show a session as it happens, from its beginning to its end."""
    api = api_of(home, url)
    raise exit_with(watch_to_its_end(api, session_of(api, session)))


def sessions(
    search: Annotated[
        str, typer.Option(help='words that are all in the alert or the timeline; "a phrase" is found as it stands')
    ] = "",
    severity: Annotated[str, typer.Option(help="only alerts of this severity, as their senders write it")] = "",
    cluster: Annotated[str, typer.Option(help="only alerts from this cluster")] = "",
    namespace: Annotated[str, typer.Option(help="only alerts from this namespace")] = "",
    workload: Annotated[str, typer.Option(help="only alerts of this Deployment, StatefulSet, Job ...")] = "",
    label: Annotated[str, typer.Option(help="only sessions that have this label")] = "",
    as_json: JsonOption = False,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """List the latest sessions, or those that fit a search best."""
    from tarsy_cli.lists.sessions import SessionQuery, print_sessions, read_sessions

    api = api_of(home, url)
    query = SessionQuery(
        search=search, severity=severity, cluster=cluster, namespace=namespace, workload=workload, label=label
    )
    with exit_on_failure(api):
        if as_json:
            print_json(read_sessions(api, query))
        else:
            print_sessions(api, get_console(), query)


def watch_to_its_end(
    api: str,
    session: str,
    *,
    appear_seconds: float | None = None,
    nothing_came: Callable[[], Awaitable[None]] | None = None,
) -> str:
    """The status that it ended with. `appear_seconds`: how long it may be unknown to the API."""
    from tarsy_cli.watch.session_watch import APPEAR_SECONDS, do_nothing, watch_session

    limit = APPEAR_SECONDS if appear_seconds is None else appear_seconds
    idle = nothing_came or do_nothing
    try:
        with exit_on_failure(api):
            return watch_session(api, session, get_console(), appear_seconds=limit, nothing_came=idle)
    except KeyboardInterrupt:
        raise fail(f"The session goes on: `tarsy watch {session}` shows it again.", code=INTERRUPTED) from None


def exit_with(ended: str) -> typer.Exit:
    return typer.Exit(0 if ended == "completed" else 1)


def session_of(api: str, given: str) -> str:
    """The whole id. Ends the command when no session, or more than one, begins so."""
    from tarsy_cli.session_ids import whole_id

    with exit_on_failure(api):
        return whole_id(api, given)


def api_of(home: Path, url: str) -> str:
    if url:
        return full_address(url)
    from tarsy_local.instance import Home

    instance = Home(home).find_running()
    if instance is None or instance.state != "ready":
        text = f"No TARSy is ready in {home}: start one with `tarsy up`, or name one with --url."
        raise fail(with_home(text, home))
    return instance.api


def full_address(url: str) -> str:
    """The address of the API, whether the URL names it or the root."""
    return url.rstrip("/").removesuffix(API_PATH) + API_PATH
