"""A chat with an investigation, in a terminal or for a program."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial

from rich.console import Console
from rich.text import Text

from tarsy_cli.api import get, get_rows
from tarsy_cli.chat.asking import ask
from tarsy_cli.chat.conversation import PROMPT, converse, read_piped_questions, read_typed_questions
from tarsy_cli.chat.earlier import print_chat
from tarsy_cli.chat.reply import Reply
from tarsy_cli.console.terminal import fail, get_console, print_error
from tarsy_cli.options import INTERRUPTED
from tarsy_cli.session_commands import exit_on_failure, session_of
from tarsy_cli.watch.session_watch import print_heading
from tarsy_contracts.api.sessions import SessionDetail
from tarsy_contracts.api.timeline import TimelineEvent
from tarsy_local.terminal_text import printable

FAILURES = {"failed": "failed", "cancelled": "was cancelled", "timed_out": "took too long"}


def ask_all(api: str, given: str, question: str | None, *, as_json: bool) -> bool:
    """Asks one question, or those of the terminal or the input. True when all were answered."""
    session = session_of(api, given)
    shown = Console(quiet=True) if as_json else get_console()
    with _leave_session_alone(api, session):
        questions = [question] if question is not None else _read_questions(api, session, shown)
        return converse(
            questions, partial(ask, api, session, console=shown), _print_reply if as_json else _print_failure
        )


def ask_one(api: str, session: str, question: str) -> bool:
    """Shows the question and its reply. True when it was answered. Ends the command when the person leaves."""
    with _leave_session_alone(api, session):
        shown = get_console()
        return converse(_echo_questions([question], shown), partial(ask, api, session, console=shown), _print_failure)


@contextmanager
def _leave_session_alone(api: str, session: str) -> Iterator[None]:
    """Ends the command with one sentence when the reply cannot be followed, or the person leaves it to itself."""
    try:
        with exit_on_failure(api):
            yield
    except KeyboardInterrupt:
        raise fail(f"The reply may go on: `tarsy chat {session}` shows it.", code=INTERRUPTED) from None


def _read_questions(api: str, session: str, shown: Console) -> Iterable[str]:
    if not sys.stdin.isatty() or shown.quiet:
        return _echo_questions(read_piped_questions(), shown)
    print_heading(SessionDetail.model_validate(get(f"{api}/sessions/{session}")), shown)
    rows = get_rows(f"{api}/sessions/{session}/timeline")
    print_chat([TimelineEvent.model_validate(row) for row in rows], shown)
    return read_typed_questions()


def _echo_questions(questions: Iterable[str], shown: Console) -> Iterator[str]:
    for question in questions:
        shown.print(Text(f"{PROMPT}{printable(question)}", style="bold"))
        yield question


def _print_reply(reply: Reply) -> None:
    sys.stdout.write(reply.model_dump_json() + "\n")
    sys.stdout.flush()


def _print_failure(reply: Reply) -> None:
    if not reply.completed:
        print_error(_describe_failure(reply))


def _describe_failure(reply: Reply) -> str:
    """A refusal is told in the words of the API."""
    return f"The reply {FAILURES[reply.status]}: {reply.error}" if reply.status in FAILURES else str(reply.error)
