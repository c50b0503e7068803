"""Subscriptions of clients to channels. Nothing in here waits: a client that reads slowly costs only itself."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from tarsy_websocket_gateway.clients.client import Client
from tarsy_websocket_gateway.messages.outgoing import Outgoing

SESSIONS = "sessions"
"""The channel of all sessions' status; a session's own is `session:` and its id."""
SESSION = "session:"


class Subscriber(Protocol):
    def offer(self, message: Outgoing) -> bool: ...


class StatusSubscription:
    """A subscription to the status of all sessions. It has no history."""

    def offer(self, message: Outgoing) -> bool:
        return True


OF_ALL_SESSIONS = frozenset({"session.status", "session.deleted"})
"""Types of messages on the channel `sessions`."""


class Hub:
    def __init__(self) -> None:
        self._channels: defaultdict[str, dict[Client, Subscriber]] = defaultdict(dict)
        self._of_client: defaultdict[Client, set[str]] = defaultdict(set)
        self.open = False
        """Clients are let in from when the log and the timeline were found."""
        self.channel_closed: Callable[[str], None] = lambda channel: None
        """Called when nobody is subscribed to a channel any longer."""

    def subscribe(self, client: Client, channel: str, subscriber: Subscriber) -> None:
        """Replaces an earlier subscription to the same channel."""
        self._channels[channel][client] = subscriber
        self._of_client[client].add(channel)

    def unsubscribe(self, client: Client, channel: str) -> None:
        self._of_client[client].discard(channel)
        subscribers = self._channels.get(channel)
        if subscribers is None:
            return
        subscribers.pop(client, None)
        if not subscribers:
            del self._channels[channel]
            self.channel_closed(channel)

    def leave(self, client: Client) -> None:
        for channel in list(self._of_client[client]):
            self.unsubscribe(client, channel)
        del self._of_client[client]

    def drop_all(self) -> None:
        """Disconnects all clients: they come again, and get what they missed."""
        for client in self._of_client:
            client.overflowed.set()

    def has(self, channel: str) -> bool:
        return channel in self._channels

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
        sent = list(messages)
        self._send_to_channel(channel, sent)
        self._send_to_channel(SESSIONS, [message for message in sent if message.type in OF_ALL_SESSIONS])

    def _send_to_channel(self, channel: str, messages: Sequence[Outgoing]) -> None:
        for client, subscriber in self._channels.get(channel, {}).items():
            client.send([message for message in messages if subscriber.offer(message)])


def channel_of(session_id: str) -> str:
    return SESSION + session_id


def session_of(channel: str) -> str:
    """The session of a channel that is one of a session."""
    return channel.removeprefix(SESSION)
