"""`tarsy watch`: a session over the WebSocket, from its beginning to its end, across lost connections."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial

from rich.console import Console
from rich.text import Text

from tarsy_cli.api import ApiError, NotFoundError, UnavailableError, UnreachableError, get, retry
from tarsy_cli.errors import CommandError
from tarsy_cli.watch.rendering import NOTICE
from tarsy_cli.watch.screen import Screen
from tarsy_cli.watch.session_messages import follow
from tarsy_contracts.api.sessions import SessionDetail, SessionState
from tarsy_local.terminal_text import one_line

APPEAR_SECONDS = 10.0
ACCEPTED_APPEARS_SECONDS = 60.0
"""A session that was accepted appears within this time, also when the timeline has just been replaced."""
LOOK_SECONDS = 0.1


class UnknownSessionError(CommandError):
    """Nothing of this id became known in time. The operator names another session."""


async def do_nothing() -> None:
    """For who has nothing to do while nothing comes."""


def watch_session(
    api: str,
    session_id: str,
    console: Console,
    *,
    appear_seconds: float = APPEAR_SECONDS,
    nothing_came: Callable[[], Awaitable[None]] = do_nothing,
) -> str:
    """The status that the session ended with. `nothing_came`: called after each moment of silence.

    Raises UnknownSessionError, ApiError or ValidationError.
    """

    def told(problem: ApiError) -> None:
        console.print(Text(f"({one_line(str(problem))}; trying again)", style=NOTICE))

    print_heading(_wait_until_known(api, session_id, told, appear_seconds), console)
    screen = Screen(console)
    asyncio.run(follow(api, session_id, screen, partial(_note_silence, api, session_id, screen, nothing_came)))
    return screen.status


def print_heading(session: SessionDetail, console: Console) -> None:
    alert = " · ".join(one_line(text) for text in (session.title, session.severity, session.source) if text)
    console.print(Text(alert, style="bold"))
    console.print(Text(f"session {session.id}"))
    if session.scripted:
        console.print(Text("The model is scripted: its answers come from a file, no model is asked.", style="yellow"))


def _wait_until_known(api: str, session_id: str, report: Callable[[ApiError], None], seconds: float) -> SessionDetail:
    """A session that was submitted just now takes a moment to appear."""
    limit = time.monotonic() + seconds
    while True:
        try:
            found = retry(
                partial(get, f"{api}/sessions/{session_id}"),
                UnavailableError,
                UnreachableError,
                on_first_failure=report,
            )
            return SessionDetail.model_validate(found)
        except NotFoundError:
            if time.monotonic() > limit:
                raise UnknownSessionError(
                    f"There is no session {session_id} here: `tarsy sessions` lists the latest."
                ) from None
        time.sleep(LOOK_SECONDS)


async def _note_silence(api: str, session_id: str, screen: Screen, nothing_came: Callable[[], Awaitable[None]]) -> None:
    """No message tells a place in the queue."""
    screen.idle()
    await nothing_came()
    if not screen.waits_for_its_turn:
        return
    with suppress(ApiError):
        status = await asyncio.to_thread(get, f"{api}/sessions/{session_id}/status")
        screen.show_queue_position(SessionState.model_validate(status).queue_position)
