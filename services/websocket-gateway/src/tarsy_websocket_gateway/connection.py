"""One client, from its connection to its end."""

import asyncio
from collections.abc import Callable, Coroutine
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
from tarsy_websocket_gateway.client import Client
from tarsy_websocket_gateway.errors import NoSubscriptionError
from tarsy_websocket_gateway.history import History
from tarsy_websocket_gateway.hub import SESSIONS, Hub, StatusSubscription, Subscriber, session_of
from tarsy_websocket_gateway.metrics import Metrics
from tarsy_websocket_gateway.outgoing import Outgoing, reply
from tarsy_websocket_gateway.protocol import InvalidMessageError, read_action
from tarsy_websocket_gateway.streams import Call
from tarsy_websocket_gateway.subscription import Subscription

log = structlog.get_logger(__name__)

TRY_AGAIN_LATER = 1013
CLOSE_SECONDS = 10.0
MOST_CHANNELS = 100
MOST_ASKING = 20


class Sessions(Protocol):
    """Source of all that a connection asks about sessions."""

    def watch(self, session_id: str) -> None: ...
    def running(self, session_id: str) -> list[Call]: ...
    async def history(self, session_id: str) -> History: ...
    async def follow_list(self) -> None: ...


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
        self._reply(ConnectionEstablished(type="connection.established", connection_id=str(uuid4())))
        try:
            await self._talk()
            if self._client.overflowed.is_set():
                self._hub.leave(self._client)
                await self._drop()
        finally:
            self._hub.leave(self._client)

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
                self._subscribe(action.channel, action.last_event_id or 0, [_confirmed(action.channel)])
            case "catchup" if action.channel != SESSIONS:
                if self._hub.subscription(self._client, action.channel) is None:
                    raise InvalidMessageError("catchup is for a channel that you are subscribed to")
                self._subscribe(action.channel, action.last_event_id or 0, [])
            case _:
                # The list has no history.
                return

    def _subscribe(self, channel: str, after: int, first: list[Outgoing]) -> None:
        """`after`: the last number that the client has. `first`: what it is sent before the history."""
        known = self._hub.subscription(self._client, channel) is not None
        if (not known and self._hub.channels(self._client) >= MOST_CHANNELS) or len(self._asking) >= MOST_ASKING:
            raise InvalidMessageError(f"too many subscriptions: {MOST_CHANNELS} in all, {MOST_ASKING} at a time")
        if channel == SESSIONS:
            status = StatusSubscription()
            self._hub.subscribe(self._client, channel, status)
            self._start(channel, status, self._begin_list(status, first))
            return
        # No await between these two: what the log brings from here on is held back.
        subscription = Subscription()
        self._hub.subscribe(self._client, channel, subscription)
        self._sessions.watch(session_of(channel))
        self._start(channel, subscription, self._begin(channel, subscription, after, first))

    def _start(self, channel: str, subscriber: Subscriber, work: Coroutine[None, None, None]) -> None:
        task = self._group.create_task(self._guarded(channel, subscriber, work))
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)

    async def _guarded(self, channel: str, subscriber: Subscriber, work: Coroutine[None, None, None]) -> None:
        try:
            await work
        except NoSubscriptionError as problem:
            if self._is_current(channel, subscriber):
                self._hub.unsubscribe(self._client, channel)
                failed = SubscriptionFailed(
                    type="subscription.error", channel=channel, message=str(problem), code=problem.code
                )
                self._reply(failed)

    async def _begin(self, channel: str, subscription: Subscription, after: int, first: list[Outgoing]) -> None:
        session_id = session_of(channel)
        history = await self._sessions.history(session_id)
        if self._is_current(channel, subscription):
            self._client.send([*first, *subscription.begin(history, self._sessions.running(session_id), after)])

    async def _begin_list(self, status: StatusSubscription, first: list[Outgoing]) -> None:
        await self._sessions.follow_list()
        if self._is_current(SESSIONS, status):
            self._client.send(first)

    def _is_current(self, channel: str, subscription: Subscriber) -> bool:
        """False when the client unsubscribed, or subscribed again, in between."""
        return self._hub.subscription(self._client, channel) is subscription

    def _reply(self, message: WebSocketMessage) -> None:
        self._client.send([reply(message)])


def _confirmed(channel: str) -> Outgoing:
    return reply(SubscriptionConfirmed(type="subscription.confirmed", channel=channel))


type NewConnection = Callable[[WebSocket], Connection]
