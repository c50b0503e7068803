"""`tarsy watch`: a session over the WebSocket, from its beginning to its end, across lost connections."""

import asyncio
import json
from collections.abc import AsyncIterator

from pydantic import JsonValue
from rich.console import Console
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from tarsy_cli.rendering import Screen

ENDED = frozenset({"completed", "failed", "cancelled", "timed_out"})
PAUSE_SECONDS = 0.5
SUBSCRIBE_AGAIN_SECONDS = 1.0

type Payload = dict[str, JsonValue]


class NotSubscribed(Exception):
    """The gateway could not give the session's history now."""


async def watch_session(api: str, session_id: str, console: Console) -> str:
    """Prints until the session has ended; returns the status that it ended with. Comes back when it is cut off."""
    screen = Screen(console)
    url = f"ws{api.removeprefix('http')}/ws"
    while True:
        try:
            async for payload in _payloads(url, session_id):
                screen.show(payload)
                if payload.get("type") == "session.status" and payload.get("status") in ENDED:
                    return str(payload["status"])
        except (OSError, WebSocketException, NotSubscribed) as problem:
            screen.interrupted(str(problem))
        await asyncio.sleep(PAUSE_SECONDS)


async def _payloads(url: str, session_id: str) -> AsyncIterator[Payload]:
    channel = f"session:{session_id}"
    async with connect(url, max_size=16 * 1024 * 1024) as socket:
        await socket.send(json.dumps({"action": "subscribe", "channel": channel}))
        try:
            async for text in socket:
                payload: Payload = json.loads(text)
                if payload.get("type") == "subscription.error":
                    raise NotSubscribed(str(payload.get("message")))
                if payload.get("session_id") == session_id:
                    yield payload
        except ConnectionClosed:
            return
