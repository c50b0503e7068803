"""One client, from its connection to its end."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from math import inf
from typing import Protocol
from uuid import uuid4

import structlog
from fastapi import WebSocket, WebSocketDisconnect

from tarsy_auth.identity import Identity
from tarsy_auth.session_groups import labels_of
from tarsy_bus.retries import draw_growing_pauses
from tarsy_contracts.api.websocket import (
    ActionRefused,
    ClientAction,
    ConnectionEstablished,
    Pong,
    SubscriptionConfirmed,
    SubscriptionDelayed,
    SubscriptionFailed,
)
from tarsy_contracts.api.websocket_model import WebSocketMessage
from tarsy_service.access.caller import identity_of, still_may, visible_groups_of
from tarsy_websocket_gateway.clients.client import Client
from tarsy_websocket_gateway.clients.hub import SESSIONS, Hub, StatusSubscription, Subscriber, channel_of, session_of
from tarsy_websocket_gateway.clients.protocol import InvalidMessageError, read_action
from tarsy_websocket_gateway.clients.subscription import Subscription
from tarsy_websocket_gateway.errors import (
    AlertJoinedError,
    HeldTooMuchError,
    HistoryUnavailableError,
    NoSubscriptionError,
)
from tarsy_websocket_gateway.messages.history import History
from tarsy_websocket_gateway.messages.outgoing import Outgoing, reply
from tarsy_websocket_gateway.messages.running_calls import Call
from tarsy_websocket_gateway.metrics import DropReason, Metrics
from tarsy_websocket_gateway.timeline.visible_sessions import ClientSessions, Judge

log = structlog.get_logger(__name__)

TRY_AGAIN_LATER = 1013
EXPIRED = 4401
GONE = "the credential has expired, or was taken away: connect with another one"
CLOSE_SECONDS = 10.0
JUDGE_SECONDS = 30.0
"""How often the credential of an open connection is judged again."""
PATIENCE_SECONDS = 120.0
"""So long a client is let in by itself that could not be in time: a crowd that came again would be a larger one."""
FIRST_TRY_SECONDS, LONGEST_TRY_SECONDS = 0.5, 10.0
DELAYED = "So many want to see this at once, or the history is behind, that it takes longer. You need not do anything."
MOST_CHANNELS = 100
MOST_ASKING = 20


class Sessions(Judge, Protocol):
    """Source of all that a connection asks about sessions."""

    def watch(self, session_id: str) -> None: ...
    def list_running_calls(self, session_id: str) -> list[Call]: ...
    async def history(self, session_id: str) -> History: ...
    async def follow_list(self) -> None: ...


class Connection:
    def __init__(
        self,
        websocket: WebSocket,
        client: Client,
        hub: Hub,
        sessions: Sessions,
        metrics: Metrics,
        now: Callable[[], float],
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        self._patience_seconds = patience_seconds
        self._websocket = websocket
        self._client = client
        self._hub = hub
        self._sessions = sessions
        self._metrics = metrics
        self._now = now
        self._expired = False
        self._limited = self._visible_sessions_only()
        self._asking: set[asyncio.Task[None]] = set()
        self._followed: dict[str, str] = {}
        """Channels as the client calls them, and as they are followed: another one where an alert joined a session."""
        self._unconfirmed: set[str] = set()
        """Channels that the client subscribed to, until their history is sent."""

    async def run(self) -> None:
        """Until the client goes, does not read fast enough, or its identity expires."""
        self._send_reply(ConnectionEstablished(type="connection.established", connection_id=str(uuid4())))
        try:
            await self._serve_client()
            if self._client.overflowed.is_set():
                await self._drop_client("too_slow", TRY_AGAIN_LATER, "too slow: connect and subscribe again")
            elif self._expired:
                await self._drop_client("expired", EXPIRED, GONE)
        finally:
            self._hub.leave(self._client)

    def _visible_sessions_only(self) -> ClientSessions | None:
        """None for a client that sees all sessions."""
        groups = visible_groups_of(self._websocket)
        if groups is None:
            return None
        return ClientSessions(labels_of(groups), self._sessions, self._client.send, self._client.overflowed.set)

    async def _serve_client(self) -> None:
        """Until one side ends it. Histories that are being asked for end with it."""
        works = [self._receive_all(), self._client.run(), self._wait_for_overflow()]
        if (identity := identity_of(self._websocket)) is not None:
            works.append(self._wait_for_expiry(identity))
        if self._limited is not None:
            works.append(self._limited.run())
        async with asyncio.TaskGroup() as self._group:
            tasks = [self._group.create_task(work) for work in works]
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in (*tasks, *self._asking):
                task.cancel()

    async def _wait_for_overflow(self) -> None:
        await self._client.overflowed.wait()

    async def _wait_for_expiry(self, identity: Identity) -> None:
        """Returns when the identity has expired, or may not be here any longer."""
        while True:
            left = inf if identity.expires_at is None else identity.expires_at - self._now()
            await asyncio.sleep(min(max(left, 0.0), JUDGE_SECONDS))
            if left <= JUDGE_SECONDS or not await still_may(self._websocket):
                self._expired = True
                return

    async def _drop_client(self, reason: DropReason, code: int, sentence: str) -> None:
        self._hub.leave(self._client)
        self._metrics.count_dropped(reason)
        log.info("client.dropped", reason=reason)
        with suppress(TimeoutError, WebSocketDisconnect):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._websocket.close(code, sentence)

    async def _receive_all(self) -> None:
        while True:
            message = await self._websocket.receive()
            if message["type"] == "websocket.disconnect":
                return
            try:
                self._act_on(read_action(message.get("text") or ""))
            except InvalidMessageError as problem:
                self._send_reply(ActionRefused(type="error", message=str(problem)))

    def _act_on(self, action: ClientAction) -> None:
        match action.action:
            case "ping":
                self._send_reply(Pong(type="pong"))
            case "unsubscribe":
                self._unsubscribe_from(action.channel)
            case "subscribe":
                self._subscribe_to(action.channel, action.last_event_id or 0)
                self._unconfirmed.add(action.channel)
            case "catchup" if action.channel != SESSIONS:
                if action.channel not in self._followed:
                    raise InvalidMessageError("catchup is for a channel that you are subscribed to")
                self._subscribe_to(action.channel, action.last_event_id or 0)
            case _:
                # The list has no history.
                return

    def _subscribe_to(self, channel: str, after: int) -> None:
        """`after`: the last number that the client has."""
        known = channel in self._followed
        if (not known and len(self._followed) >= MOST_CHANNELS) or len(self._asking) >= MOST_ASKING:
            raise InvalidMessageError(
                f"too many subscriptions for {channel}: {MOST_CHANNELS} in all, {MOST_ASKING} at a time"
            )
        if channel == SESSIONS:
            status: Subscriber = self._limited or StatusSubscription()
            self._followed[channel] = channel
            self._hub.subscribe(self._client, channel, status)
            self._start_work(channel, status, self._begin_list(status))
            return
        self._follow_session(channel, self._followed.get(channel, channel), after)

    def _follow_session(self, channel: str, followed: str, after: int) -> None:
        # No await between these two: what the log brings from here on is held back.
        subscription = Subscription()
        self._followed[channel] = followed
        self._hub.subscribe(self._client, followed, subscription)
        self._sessions.watch(session_of(followed))
        self._start_work(
            channel, subscription, self._begin_with_history(channel, session_of(followed), subscription, after)
        )

    def _unsubscribe_from(self, channel: str) -> None:
        """The session goes on being followed where the client subscribed to it by another id, too."""
        self._unconfirmed.discard(channel)
        followed = self._followed.pop(channel, None)
        if followed is not None and followed not in self._followed.values():
            self._hub.unsubscribe(self._client, followed)

    def _start_work(self, channel: str, subscriber: Subscriber, work: Coroutine[None, None, None]) -> None:
        task = self._group.create_task(self._run_or_fail_subscription(channel, subscriber, work))
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)

    async def _run_or_fail_subscription(
        self, channel: str, subscriber: Subscriber, work: Coroutine[None, None, None]
    ) -> None:
        try:
            await work
        except NoSubscriptionError as problem:
            if self._is_current(channel, subscriber):
                self._fail_subscription(self._followed[channel], problem)

    async def _begin_with_history(self, channel: str, session_id: str, subscription: Subscription, after: int) -> None:
        """Again and again, where the history is not there in time, or where too much happened meanwhile."""
        give_up_at = asyncio.get_running_loop().time() + self._patience_seconds
        for pause in draw_growing_pauses(FIRST_TRY_SECONDS, LONGEST_TRY_SECONDS):
            try:
                return await self._begin_once(channel, session_id, subscription, after)
            except (HistoryUnavailableError, HeldTooMuchError):
                if asyncio.get_running_loop().time() + pause > give_up_at:
                    raise
            if not self._is_current(channel, subscription):
                return None
            self._send_reply(SubscriptionDelayed(type="subscription.delayed", channel=channel, message=DELAYED))
            subscription.hold_again()
            await asyncio.sleep(pause)
        return None

    async def _begin_once(self, channel: str, session_id: str, subscription: Subscription, after: int) -> None:
        try:
            history = await self._read_visible_history(session_id)
        except AlertJoinedError as joined:
            if self._is_current(channel, subscription):
                owed = self._unconfirmed & {channel}
                self._unsubscribe_from(channel)
                self._unconfirmed |= owed
                self._follow_session(channel, channel_of(joined.session_id), after)
            return
        if self._is_current(channel, subscription):
            messages = subscription.begin(history, self._sessions.list_running_calls(session_id), after)
            self._client.send([*self._take_confirmations(self._followed[channel]), *messages])

    def _take_confirmations(self, followed: str) -> list[Outgoing]:
        """All channels that this one history confirms: a later subscription replaces one that still waits."""
        channels = [name for name, one in self._followed.items() if one == followed and name in self._unconfirmed]
        self._unconfirmed.difference_update(channels)
        return [_confirm_subscription(channel, followed) for channel in channels]

    async def _read_visible_history(self, session_id: str) -> History:
        """Raises SessionNotFoundError for a session that this client does not see, and what the source raises."""
        if self._limited is None:
            return await self._sessions.history(session_id)
        if await self._limited.sees(session_id) is None:
            # It may not have begun yet, or be the id of an alert that joined another one.
            history = await self._sessions.history(session_id)
            await self._limited.require(session_id)
            return history
        await self._limited.require(session_id)
        return await self._sessions.history(session_id)

    def _fail_subscription(self, followed: str, problem: NoSubscriptionError) -> None:
        """By whatever ids the client subscribed to the session: they share one subscription."""
        for channel in [name for name, one in self._followed.items() if one == followed]:
            self._unsubscribe_from(channel)
            self._send_reply(
                SubscriptionFailed(type="subscription.error", channel=channel, message=str(problem), code=problem.code)
            )

    async def _begin_list(self, status: Subscriber) -> None:
        await self._sessions.follow_list()
        if self._is_current(SESSIONS, status):
            self._client.send(self._take_confirmations(SESSIONS))

    def _is_current(self, channel: str, subscription: Subscriber) -> bool:
        """False when the client unsubscribed, or subscribed again, in between."""
        followed = self._followed.get(channel)
        return followed is not None and self._hub.subscription(self._client, followed) is subscription

    def _send_reply(self, message: WebSocketMessage) -> None:
        self._client.send([reply(message)])


def _confirm_subscription(channel: str, followed: str) -> Outgoing:
    confirmed = SubscriptionConfirmed(type="subscription.confirmed", channel=channel)
    return reply(
        confirmed if followed == channel else confirmed.model_copy(update={"session_id": session_of(followed)})
    )


type NewConnection = Callable[[WebSocket], Connection]
