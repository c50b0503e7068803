"""The commands about sessions: watch, open, sessions."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from tarsy_cli.console.output import OutputClosedError
from tarsy_cli.console.terminal import fail, get_console, print_json, print_note, print_yaml, say
from tarsy_cli.errors import CommandError
from tarsy_cli.options import (
    DEFAULT_HOME,
    INTERRUPTED,
    USAGE,
    HomeOption,
    JsonOption,
    LatestSessionArgument,
    OutputOption,
    UrlOption,
)
from tarsy_cli.printed_commands import with_home
from tarsy_cli.verbosity import details

API_PATH = "/api/v1"
MOST_LISTED = 100
"""The API answers no more on a page."""


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
        raise fail(f"The server does not answer as a TARSy of this version does.{details(api)}") from None


def watch(
    session: LatestSessionArgument = "",
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """Show a session as it happens, from its beginning to its end. At a terminal, it asks for approvals."""
    api = api_of(home, url)
    raise exit_with(watch_and_decide(api, session_or_latest(api, session)))


def open_page(
    session: LatestSessionArgument = "",
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """Open the page of a session in the browser, and print its address."""
    api = api_of(home, url)
    show_page(api, session_or_latest(api, session))


def sessions(
    search: Annotated[
        str, typer.Option(help='words that must all be in the alert or the timeline; "a phrase" is found as written')
    ] = "",
    severity: Annotated[str, typer.Option(help="only alerts of this severity, as their senders write it")] = "",
    cluster: Annotated[str, typer.Option(help="only alerts from this cluster")] = "",
    namespace: Annotated[str, typer.Option(help="only alerts from this namespace")] = "",
    workload: Annotated[str, typer.Option(help="only alerts of this Deployment, StatefulSet, Job ...")] = "",
    label: Annotated[str, typer.Option(help="only sessions that have this label")] = "",
    status: Annotated[str, typer.Option(help="only these, separated by commas: in_progress, failed ...")] = "",
    chain: Annotated[str, typer.Option(help="only sessions of this chain")] = "",
    since: Annotated[str, typer.Option(help="only what began since then: 30m, 12h, 7d, or 2026-11-22T10:05:00Z")] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=MOST_LISTED, help="how many of the latest")] = 25,
    output: OutputOption = "table",
    as_json: JsonOption = False,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """List the latest sessions, or those that match a search best."""
    from datetime import UTC, datetime

    from tarsy_cli.lists.sessions import SessionQuery, print_sessions, read_sessions, read_since

    try:
        start_date = read_since(since, datetime.now(UTC))
    except ValueError as problem:
        raise fail(str(problem), code=USAGE) from None
    api = api_of(home, url)
    query = SessionQuery(
        search=search, severity=severity, cluster=cluster, namespace=namespace, workload=workload, label=label,
        status=status, chain_id=chain, start_date=start_date,
    )  # fmt: skip
    with exit_on_failure(api):
        found = read_sessions(api, query, limit)
        match "json" if as_json else output:
            case "json":
                print_json(found)
            case "yaml":
                print_yaml(found)
            case "wide" | "table" as columns:
                print_sessions(found, get_console(), query, wide=columns == "wide")


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


def watch_and_decide(api: str, session: str, *, appear_seconds: float | None = None, approve: bool = False) -> str:
    """Watches, and asks at a terminal about each call that waits for a person. `approve`: says yes to all of them."""
    from tarsy_cli.watch.approval_prompt import ApprovalPrompt

    prompt = ApprovalPrompt(api, session, get_console(), yes=approve)
    return watch_to_its_end(api, session, appear_seconds=appear_seconds, nothing_came=prompt.look)


def page_address(api: str, session: str) -> str:
    return f"{api.removesuffix(API_PATH)}/sessions/{session}"


def print_page_address(api: str, session: str) -> None:
    """On the error output: a program reads the other one."""
    print_note(f"On the page: {page_address(api, session)}")


def show_page(api: str, session: str) -> None:
    """Opens the browser where there is one. The address is printed either way."""
    import webbrowser

    address = page_address(api, session)
    say(address)
    if not webbrowser.open(address):
        print_note("No browser could be opened here: open the address above.")


def exit_with(ended: str) -> typer.Exit:
    return typer.Exit(0 if ended == "completed" else 1)


def session_of(api: str, given: str) -> str:
    """The whole id. Ends the command when no session, or more than one, begins so."""
    from tarsy_cli.session_ids import whole_id

    with exit_on_failure(api):
        return whole_id(api, given)


def session_or_latest(api: str, given: str) -> str:
    """The one that was given; else the one that began last. Ends the command when there is none."""
    from tarsy_cli.lists.sessions import SessionQuery, read_sessions

    if given:
        return session_of(api, given)
    with exit_on_failure(api):
        found = read_sessions(api, SessionQuery(), limit=1).sessions
    if not found:
        raise fail("No alert has been investigated yet: `tarsy ask` or `tarsy submit FILE` begins an investigation.")
    return found[0].id


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
