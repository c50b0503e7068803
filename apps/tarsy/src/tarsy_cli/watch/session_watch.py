"""`tarsy watch`: a session over the WebSocket, from its beginning to its end, across lost connections."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import partial

from rich.console import Console
from rich.text import Text
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from tarsy_cli.api import ApiError, NotFoundError, UnavailableError, UnreachableError, get, retry
from tarsy_cli.errors import CommandError
from tarsy_cli.watch.rendering import NOTICE, Payload
from tarsy_cli.watch.screen import Screen
from tarsy_cli.watch.stages import ENDED
from tarsy_contracts.api.sessions import SessionDetail, SessionState
from tarsy_contracts.api.websocket import ClientAction, SessionMessage, SubscriptionFailed, read_message
from tarsy_local.terminal_text import one_line

PAUSE_SECONDS = 0.5
APPEAR_SECONDS = 10.0
ACCEPTED_APPEARS_SECONDS = 60.0
"""A session that was accepted appears within this time, also when the timeline has just been replaced."""
LOOK_SECONDS = 0.1
MOMENT_SECONDS = 1.0
GIVE_UP_SECONDS = 600.0


class NotSubscribedError(CommandError):
    """The gateway could not give the session's history now. The caller subscribes again."""


class UnknownSessionError(CommandError):
    """Nothing of this id became known in time. The operator names another session."""


def watch_session(api: str, session_id: str, console: Console, *, appear_seconds: float = APPEAR_SECONDS) -> str:
    """The status that the session ended with. Raises UnknownSessionError, ApiError or ValidationError."""

    def told(problem: ApiError) -> None:
        console.print(Text(f"({one_line(str(problem))}; trying again)", style=NOTICE))

    session = _wait_until_known(api, session_id, told, appear_seconds)
    alert = " · ".join(one_line(text) for text in (session.title, session.severity, session.source) if text)
    console.print(Text(alert, style="bold"))
    console.print(Text(f"session {session_id}"))
    if session.scripted:
        console.print(Text("The model is scripted: its answers come from a file, no model is asked.", style="yellow"))
    return asyncio.run(_follow(api, session_id, Screen(console)))


def _wait_until_known(api: str, session_id: str, told: Callable[[ApiError], None], seconds: float) -> SessionDetail:
    """A session that was submitted just now takes a moment to appear."""
    limit = time.monotonic() + seconds
    while True:
        try:
            found = retry(
                partial(get, f"{api}/sessions/{session_id}"), UnavailableError, UnreachableError, on_first_failure=told
            )
            return SessionDetail.model_validate(found)
        except NotFoundError:
            if time.monotonic() > limit:
                raise UnknownSessionError(
                    f"No session {session_id} is known here: `tarsy sessions` lists those that are."
                ) from None
        time.sleep(LOOK_SECONDS)


async def _follow(api: str, session_id: str, screen: Screen) -> str:
    """Prints until the session has ended. Comes back when it is cut off. Raises ApiError when that is in vain."""
    url = f"ws{api.removeprefix('http')}/ws"
    limit = time.monotonic() + GIVE_UP_SECONDS
    while time.monotonic() < limit:
        try:
            async for payload in _payloads(url, session_id):
                limit = time.monotonic() + GIVE_UP_SECONDS
                if payload is None:
                    await _nothing_came(api, session_id, screen)
                    continue
                screen.show(payload)
                if payload.get("type") == "session.status" and payload.get("status") in ENDED:
                    return str(payload["status"])
            screen.interrupted("the server closed it")
        except (OSError, WebSocketException, NotSubscribedError) as problem:
            screen.interrupted(str(problem))
        await asyncio.sleep(PAUSE_SECONDS)
    raise ApiError(f"{url} did not come back within {GIVE_UP_SECONDS / 60:g} minutes; the session may still go on.")


async def _nothing_came(api: str, session_id: str, screen: Screen) -> None:
    """No message tells a place in the queue."""
    screen.idle()
    if not screen.waits_for_its_turn:
        return
    with suppress(ApiError):
        status = await asyncio.to_thread(get, f"{api}/sessions/{session_id}/status")
        screen.queued(SessionState.model_validate(status).queue_position)


async def _payloads(url: str, session_id: str) -> AsyncIterator[Payload | None]:
    """None: nothing came for a moment."""
    channel = f"session:{session_id}"
    async with connect(url, max_size=16 * 1024 * 1024) as socket:
        await socket.send(ClientAction(action="subscribe", channel=channel).to_text())
        try:
            while True:
                try:
                    async with asyncio.timeout(MOMENT_SECONDS):
                        message = read_message(await socket.recv())
                except TimeoutError:
                    yield None
                    continue
                if isinstance(message, SubscriptionFailed):
                    raise NotSubscribedError(message.message)
                if isinstance(message, SessionMessage) and message.session_id == session_id:
                    yield message.model_dump(mode="json", exclude_unset=True)
        except ConnectionClosed:
            return
