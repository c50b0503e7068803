"""One client, from its connection to its end."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol
from uuid import uuid4

import structlog
from fastapi import WebSocket, WebSocketDisconnect

from tarsy_contracts.api.websocket import (
    ActionRefused,
    ClientAction,
    ConnectionEstablished,
    Pong,
    SubscriptionConfirmed,
    SubscriptionFailed,
    WebSocketMessage,
)
from tarsy_websocket_gateway.history import History
from tarsy_websocket_gateway.hub import SESSIONS, Client, Hub, StatusSubscription
from tarsy_websocket_gateway.metrics import Metrics
from tarsy_websocket_gateway.protocol import InvalidMessageError, read_action, session_of
from tarsy_websocket_gateway.streams import Call
from tarsy_websocket_gateway.subscription import HeldTooMuchError, Subscription
from tarsy_websocket_gateway.timeline_api import HistoryUnavailableError

log = structlog.get_logger(__name__)

TRY_AGAIN_LATER = 1013
CLOSE_SECONDS = 10.0
MOST_CHANNELS = 100
MOST_ASKING = 20


class Sessions(Protocol):
    """Source of all that a connection asks about sessions."""

    def last_number(self, session_id: str) -> int: ...
    def running(self, session_id: str) -> list[Call]: ...
    async def history(self, session_id: str, at_least: int) -> History: ...


class Connection:
    def __init__(self, websocket: WebSocket, client: Client, hub: Hub, sessions: Sessions, metrics: Metrics) -> None:
        self._websocket = websocket
        self._client = client
        self._hub = hub
        self._sessions = sessions
        self._metrics = metrics
        self._asking: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Until the client goes, or does not read fast enough."""
        self._metrics.connections.inc()
        self._reply(ConnectionEstablished(type="connection.established", connection_id=str(uuid4())))
        try:
            await self._talk()
            if self._client.overflowed.is_set():
                self._hub.leave(self._client)
                await self._drop()
        finally:
            self._hub.leave(self._client)
            self._metrics.connections.dec()

    async def _talk(self) -> None:
        """Until one side ends it. Histories that are being asked for end with it."""
        works = (self._receive_all(), self._send_all(), self._overflow())
        async with asyncio.TaskGroup() as self._group:
            tasks = [self._group.create_task(work) for work in works]
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in (*tasks, *self._asking):
                task.cancel()

    async def _overflow(self) -> None:
        await self._client.overflowed.wait()

    async def _drop(self) -> None:
        self._metrics.dropped("too_slow")
        log.info("client.dropped", reason="it read too slowly")
        with suppress(TimeoutError, WebSocketDisconnect):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._websocket.close(TRY_AGAIN_LATER, "too slow: connect and subscribe again")

    async def _send_all(self) -> None:
        with suppress(WebSocketDisconnect):
            while True:
                for text in await self._client.next():
                    await self._websocket.send_text(text)
                    self._metrics.sent.inc()

    async def _receive_all(self) -> None:
        while True:
            message = await self._websocket.receive()
            if message["type"] == "websocket.disconnect":
                return
            try:
                self._act(read_action(message.get("text") or ""))
            except InvalidMessageError as problem:
                self._reply(ActionRefused(type="error", message=str(problem)))

    def _act(self, action: ClientAction) -> None:
        match action.action:
            case "ping":
                self._reply(Pong(type="pong"))
            case "unsubscribe":
                self._hub.unsubscribe(self._client, action.channel)
            case "subscribe":
                self._subscribe(action.channel)

    def _subscribe(self, channel: str) -> None:
        if self._hub.channels(self._client) >= MOST_CHANNELS or len(self._asking) >= MOST_ASKING:
            raise InvalidMessageError(f"too many subscriptions: {MOST_CHANNELS} in all, {MOST_ASKING} at a time")
        if channel == SESSIONS:
            self._hub.subscribe(self._client, channel, StatusSubscription())
            self._reply(_confirmed(channel))
            return
        # No await between these two: what the log brings after this number is held back.
        at_least = self._sessions.last_number(session_of(channel))
        subscription = Subscription()
        self._hub.subscribe(self._client, channel, subscription)
        task = self._group.create_task(self._begin(channel, subscription, at_least))
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)

    async def _begin(self, channel: str, subscription: Subscription, at_least: int) -> None:
        session_id = session_of(channel)
        try:
            history = await self._sessions.history(session_id, at_least)
            if self._is_current(channel, subscription):
                messages = subscription.begin(history, self._sessions.running(session_id))
                self._client.send([_confirmed(channel).to_text(), *(message.text for message in messages)])
        except (HistoryUnavailableError, HeldTooMuchError) as problem:
            if self._is_current(channel, subscription):
                self._hub.unsubscribe(self._client, channel)
                reason = str(problem) or "Too much happens in this session now. Subscribe again."
                self._reply(SubscriptionFailed(type="subscription.error", channel=channel, message=reason))

    def _is_current(self, channel: str, subscription: Subscription) -> bool:
        """False when the client unsubscribed, or subscribed again, in between."""
        return self._hub.subscription(self._client, channel) is subscription

    def _reply(self, message: WebSocketMessage) -> None:
        self._client.send([message.to_text()])


def _confirmed(channel: str) -> SubscriptionConfirmed:
    return SubscriptionConfirmed(type="subscription.confirmed", channel=channel)


type NewConnection = Callable[[WebSocket], Connection]
