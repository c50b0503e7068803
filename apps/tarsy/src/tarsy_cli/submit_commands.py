"""The commands that begin an investigation: `tarsy submit`, `tarsy ask`."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from tarsy_cli.console.terminal import fail, print_note, say
from tarsy_cli.options import DEFAULT_HOME, USAGE, HomeOption, UrlOption
from tarsy_cli.session_commands import api_of, exit_with, print_page_address, show_page, watch_and_decide

LONGEST_TITLE = 120

TitleOption = Annotated[str, typer.Option(help="the title in lists; if left out, the beginning of the text")]
SeverityOption = Annotated[str, typer.Option(help="how bad it is, such as critical, warning or info")]
WebOption = Annotated[bool, typer.Option("--web", help="open its page in the browser")]


def submit(
    file: Annotated[
        Path | None,
        typer.Argument(
            allow_dash=True,
            help="an Alertmanager webhook, a body of POST /api/v1/alerts, or any text; - is the standard input",
        ),
    ] = None,
    message: Annotated[str, typer.Option("--message", "-m", help="the text of the alert, instead of a file")] = "",
    title: TitleOption = "",
    severity: SeverityOption = "",
    watch: Annotated[bool, typer.Option("--watch", help="show the investigation as it happens")] = False,
    web: WebOption = False,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """Send an alert, and print the sessions that investigate it.

    Sessions that the alert joined are named on standard error, with their state.
    """
    if (file is None) == (not message):
        raise fail("Name a file, or give the text with --message.", code=USAGE)
    api = api_of(home, url)
    if file is None:
        sessions = _submit_words(api, message, title, severity)
    elif title or severity:
        raise fail("--title and --severity go with --message: a file has its own.", code=USAGE)
    else:
        sessions = _submit_file(api, file)
    _follow(api, sessions, watch=watch, web=web)


def ask(
    words: Annotated[list[str], typer.Argument(help="the question, such as: why is checkout slow?")],
    title: TitleOption = "",
    severity: SeverityOption = "",
    web: WebOption = False,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = "",
) -> None:
    """Investigate a question as if it were an alert, and show the investigation as it happens."""
    api = api_of(home, url)
    question = " ".join(words)
    sessions = _submit_words(api, question, title or question[:LONGEST_TITLE], severity)
    _follow(api, sessions, watch=True, web=web)


def _submit_words(api: str, text: str, title: str, severity: str) -> list[str]:
    from tarsy_cli.submission import submit_words

    with _exit_on_refusal():
        return [submit_words(api, text, title=title, severity=severity).session_id]


def _submit_file(api: str, file: Path) -> list[str]:
    from tarsy_cli.submission import submit_alerts

    with _exit_on_refusal():
        submitted = submit_alerts(api, _read_content(file))
    for one in submitted:
        if one.joined:
            state = f", which is {one.session_status}" if one.session_status else ""
            print_note(f"The same alert came a while ago: this one is counted in {one.session_id}{state}.")
    return [one.session_id for one in submitted]


def _follow(api: str, sessions: list[str], *, watch: bool, web: bool) -> None:
    """One that is watched or opened was named by it. Several are watched one after the other."""
    from tarsy_cli.watch.session_watch import ACCEPTED_APPEARS_SECONDS

    for session in sessions:
        if not watch:
            say(session)
        if web:
            show_page(api, session)
        else:
            print_page_address(api, session)
    ended = [watch_and_decide(api, one, appear_seconds=ACCEPTED_APPEARS_SECONDS) for one in sessions if watch]
    if failed := [one for one in ended if one != "completed"]:
        raise exit_with(failed[0])


@contextmanager
def _exit_on_refusal() -> Iterator[None]:
    from tarsy_cli.api import ApiError

    try:
        yield
    except (ApiError, OSError) as problem:
        raise fail(str(problem)) from None


def _read_content(file: Path) -> bytes:
    return sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
