"""A client of Kafka whose start is cancelled: the caller can stop all of it."""

import asyncio

import pytest

from tarsy_bus.starting import start


class Client:
    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.go = asyncio.Event()
        self.connected = False

    async def start(self) -> None:
        self.begun.set()
        await self.go.wait()
        self.connected = True


async def test_a_cancelled_start_is_waited_for() -> None:
    client = Client()
    starting = asyncio.create_task(start(client))
    await client.begun.wait()
    starting.cancel()
    client.go.set()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert client.connected


async def test_one_that_does_not_come_to_an_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tarsy_bus.starting.MOST_SECONDS", 0.05)
    client = Client()
    starting = asyncio.create_task(start(client))
    await client.begun.wait()
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert not client.connected
