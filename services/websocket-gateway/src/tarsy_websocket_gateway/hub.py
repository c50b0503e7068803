"""Subscriptions of clients to channels. Nothing in here waits: a client that reads slowly costs only itself."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Protocol

from tarsy_websocket_gateway.messages import Outgoing

SESSIONS = "sessions"
"""The channel of all sessions' status; a session's own is `session:` and its id."""


class Subscriber(Protocol):
    def offer(self, message: Outgoing) -> bool: ...


class StatusSubscription:
    """A subscription to the status of all sessions. It has no history."""

    def offer(self, message: Outgoing) -> bool:
        return True


OF_ALL_SESSIONS = frozenset({"session.status", "session.deleted"})
"""Types of messages on the channel `sessions`."""
MOST_WAITING_CHARACTERS = 16 * 1024 * 1024
"""Limit for one client. One history may be longer: it is sent when nothing else waits."""


class Client:
    """Bounded queue of texts for one client. `overflowed` is set when it did not read fast enough."""

    def __init__(self, limit: int, most_characters: int = MOST_WAITING_CHARACTERS) -> None:
        self._queue: asyncio.Queue[list[str]] = asyncio.Queue(limit)
        self._most_characters = most_characters
        self._waiting = 0
        self.overflowed = asyncio.Event()

    def send(self, texts: list[str]) -> None:
        """Texts that belong together take one place in the queue: a long history does not fill it."""
        if not texts or self.overflowed.is_set():
            return
        size = sum(map(len, texts))
        if self._queue.full() or (self._waiting and self._waiting + size > self._most_characters):
            self.overflowed.set()
            return
        self._waiting += size
        self._queue.put_nowait(texts)

    async def next(self) -> list[str]:
        texts = await self._queue.get()
        self._waiting -= sum(map(len, texts))
        return texts


class Hub:
    def __init__(self) -> None:
        self._channels: defaultdict[str, dict[Client, Subscriber]] = defaultdict(dict)
        self._of_client: defaultdict[Client, set[str]] = defaultdict(set)
        self.open = False
        """Clients are let in from when the log was read to its end."""
        self.watched = asyncio.Event()
        """Set while there is any subscription."""

    def subscribe(self, client: Client, channel: str, subscriber: Subscriber) -> None:
        """Replaces an earlier subscription to the same channel."""
        self._channels[channel][client] = subscriber
        self._of_client[client].add(channel)
        self.watched.set()

    def unsubscribe(self, client: Client, channel: str) -> None:
        self._channels[channel].pop(client, None)
        if not self._channels[channel]:
            del self._channels[channel]
        self._of_client[client].discard(channel)
        if not self._channels:
            self.watched.clear()

    def leave(self, client: Client) -> None:
        for channel in list(self._of_client[client]):
            self.unsubscribe(client, channel)
        del self._of_client[client]

    def drop_all(self) -> None:
        """Disconnects all clients: they come again, and get what they missed."""
        for client in self._of_client:
            client.overflowed.set()

    def subscription(self, client: Client, channel: str) -> Subscriber | None:
        return self._channels.get(channel, {}).get(client)

    def channels(self, client: Client) -> int:
        return len(self._of_client.get(client, ()))

    def subscriptions(self) -> int:
        return sum(len(channels) for channels in self._of_client.values())

    def publish(self, session_id: str, messages: Iterable[Outgoing]) -> None:
        """Reads the messages only when somebody wants them."""
        channel = channel_of(session_id)
        if channel not in self._channels and SESSIONS not in self._channels:
            return
        told = list(messages)
        self._tell(channel, told)
        self._tell(SESSIONS, [message for message in told if message.type in OF_ALL_SESSIONS])

    def _tell(self, channel: str, messages: Sequence[Outgoing]) -> None:
        for client, subscriber in self._channels.get(channel, {}).items():
            client.send([message.text for message in messages if subscriber.offer(message)])


def channel_of(session_id: str) -> str:
    return f"session:{session_id}"
