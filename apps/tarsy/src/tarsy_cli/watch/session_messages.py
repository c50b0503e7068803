"""Messages of a session over the WebSocket, followed until its view has seen enough, across lost connections."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import Protocol

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from tarsy_cli.api import ApiError
from tarsy_cli.credentials import explain_401, key_headers
from tarsy_cli.errors import CommandError
from tarsy_cli.verbosity import details
from tarsy_cli.watch.rendering import Payload
from tarsy_contracts.api.websocket import ClientAction, SubscriptionFailed, read_message
from tarsy_contracts.api.websocket_model import SessionMessage

PAUSE_SECONDS = 0.5
MOMENT_SECONDS = 1.0
GIVE_UP_SECONDS = 600.0
DENIED: Mapping[int, Callable[[], str]] = {
    401: explain_401,
    403: lambda: "You may not watch sessions of this TARSy.",
}


class NotSubscribedError(CommandError):
    """The gateway could not give the session's history now. The caller subscribes again."""


class SessionView(Protocol):
    """A view that messages are shown on: the history first, and again whenever the connection was lost."""

    @property
    def ended(self) -> bool: ...

    def show(self, payload: Payload) -> None: ...

    def show_interruption(self, reason: str) -> None: ...


async def follow(api: str, session_id: str, view: SessionView, nothing_came: Callable[[], Awaitable[None]]) -> None:
    """Returns when the view has ended. `nothing_came`: called after each moment of silence.

    Raises ApiError when coming back is in vain.
    """
    url = f"ws{api.removeprefix('http')}/ws"
    limit = time.monotonic() + GIVE_UP_SECONDS
    while time.monotonic() < limit:
        try:
            async with aclosing(_receive_payloads(url, session_id)) as payloads:
                async for payload in payloads:
                    limit = time.monotonic() + GIVE_UP_SECONDS
                    if payload is None:
                        await nothing_came()
                        continue
                    view.show(payload)
                    if view.ended:
                        return
            view.show_interruption("the server closed it")
        except (OSError, WebSocketException, NotSubscribedError) as problem:
            if isinstance(problem, InvalidStatus) and (refusal := DENIED.get(problem.response.status_code)) is not None:
                raise ApiError(f"{refusal()}{details(f'{problem.response.status_code} from {url}')}") from problem
            view.show_interruption(str(problem))
        await asyncio.sleep(PAUSE_SECONDS)
    gone = f"TARSy did not come back within {GIVE_UP_SECONDS / 60:g} minutes; the session may still go on."
    raise ApiError(f"{gone}{details(url)}")


async def _receive_payloads(url: str, session_id: str) -> AsyncGenerator[Payload | None]:
    """None: nothing came for a moment."""
    channel = f"session:{session_id}"
    async with connect(url, max_size=16 * 1024 * 1024, additional_headers=key_headers()) as socket:
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
