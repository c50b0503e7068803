"""What waits for a client that does not read."""

from collections.abc import Iterator

import pytest

from tarsy_websocket_gateway.hub import Client, Hub, StatusSubscription
from tarsy_websocket_gateway.messages import Outgoing


def test_a_client_that_does_not_read_is_dropped_by_what_waits_for_it() -> None:
    """A thousand places, each of which might hold a history of megabytes."""
    client = Client(1_000, most_characters=1_000)
    client.send(["x" * 600])
    assert not client.overflowed.is_set()
    client.send(["x" * 300, "x" * 300])
    assert client.overflowed.is_set()


async def test_a_history_that_is_longer_than_what_may_wait_is_sent_alone() -> None:
    client = Client(1_000, most_characters=1_000)
    for _ in range(3):
        client.send(["x" * 5_000])
        assert not client.overflowed.is_set()
        assert await client.next() == ["x" * 5_000]


@pytest.mark.parametrize("count", [3, 4])
def test_messages_are_counted_too(count: int) -> None:
    client = Client(3)
    for _ in range(count):
        client.send(["x"])
    assert client.overflowed.is_set() == (count > 3)


def test_when_the_gateway_begins_again_its_clients_do() -> None:
    hub, client = Hub(), Client(3)
    hub.subscribe(client, "sessions", StatusSubscription())
    hub.drop_all()
    assert client.overflowed.is_set()


@pytest.mark.parametrize(("channel", "made"), [("session:s", True), ("sessions", True), ("session:other", False)])
def test_messages_are_made_only_when_somebody_wants_them(channel: str, made: bool) -> None:
    hub, asked = Hub(), list[str]()

    def messages() -> Iterator[Outgoing]:
        asked.append("s")
        yield from ()

    hub.subscribe(Client(3), channel, StatusSubscription())
    hub.publish("s", messages())
    assert bool(asked) == made


def test_the_hub_is_watched_from_the_first_subscription_until_the_last_has_gone() -> None:
    hub, one, other = Hub(), Client(3), Client(3)
    assert not hub.watched.is_set()
    hub.subscribe(one, "session:s", StatusSubscription())
    hub.subscribe(other, "sessions", StatusSubscription())
    hub.leave(one)
    assert hub.watched.is_set()
    hub.unsubscribe(other, "sessions")
    assert not hub.watched.is_set()
