"""Channels, and who is subscribed to them."""

from collections.abc import Iterator
from typing import Any

import pytest

from tarsy_websocket_gateway.clients.client import Client
from tarsy_websocket_gateway.clients.hub import Hub, StatusSubscription
from tarsy_websocket_gateway.messages.outgoing import Outgoing


def test_when_the_gateway_begins_again_its_clients_do(socket: Any) -> None:
    hub, client = Hub(), Client(socket, 3)
    hub.subscribe(client, "sessions", StatusSubscription())
    hub.drop_all()
    assert client.overflowed.is_set()


@pytest.mark.parametrize(("channel", "made"), [("session:s", True), ("sessions", True), ("session:other", False)])
def test_messages_are_made_only_when_somebody_wants_them(socket: Any, channel: str, made: bool) -> None:
    hub, asked = Hub(), list[str]()

    def messages() -> Iterator[Outgoing]:
        asked.append("s")
        yield from ()

    hub.subscribe(Client(socket, 3), channel, StatusSubscription())
    hub.publish("s", messages())
    assert bool(asked) == made


def test_a_channel_is_closed_when_the_last_subscriber_has_gone(socket: Any) -> None:
    hub, one, other, closed = Hub(), Client(socket, 3), Client(socket, 3), list[str]()
    hub.channel_closed = closed.append
    hub.subscribe(one, "session:s", StatusSubscription())
    hub.subscribe(other, "session:s", StatusSubscription())
    hub.leave(one)
    assert (closed, hub.has("session:s")) == ([], True)
    hub.unsubscribe(other, "session:s")
    hub.unsubscribe(other, "session:s")
    assert (closed, hub.has("session:s")) == (["session:s"], False)
