"""How long the reader lets records gather."""

import asyncio

import pytest
from opentelemetry.trace import NoOpTracer
from prometheus_client import CollectorRegistry

from tarsy_bus.connection import Bus
from tarsy_bus.partition_reader import GATHER_SECONDS
from tarsy_contracts.topics import Topics
from tarsy_websocket_gateway import reader
from tarsy_websocket_gateway.hub import Client, Hub, StatusSubscription
from tarsy_websocket_gateway.metrics import Metrics
from tarsy_websocket_gateway.reader import Reader
from tarsy_websocket_gateway.timeline_api import TimelineApi

WAIT_SECONDS = 90.0


@pytest.fixture(autouse=True)
def _for_ever_unwatched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever returns before this did not wait for it."""
    monkeypatch.setattr(reader, "UNWATCHED_SECONDS", 10 * WAIT_SECONDS)


@pytest.fixture
def hub() -> Hub:
    return Hub()


@pytest.fixture
def reading(hub: Hub) -> Reader:
    bus = Bus(bootstrap="nowhere:1", topics=Topics("test"), client="test")
    return Reader(bus, TimelineApi("http://nowhere"), hub, Metrics(CollectorRegistry()), NoOpTracer())


async def test_records_gather_while_nobody_watches_and_are_read_as_soon_as_somebody_comes(
    hub: Hub, reading: Reader
) -> None:
    async with asyncio.timeout(WAIT_SECONDS), asyncio.TaskGroup() as group:
        gathering = group.create_task(reading.pause(busy=False))
        # Longer than records gather for those who watch.
        await asyncio.sleep(5 * GATHER_SECONDS)
        assert not gathering.done()
        hub.subscribe(Client(3), "sessions", StatusSubscription())


async def test_records_that_wait_already_are_read_though_nobody_watches(reading: Reader) -> None:
    async with asyncio.timeout(WAIT_SECONDS):
        await reading.pause(busy=True)


async def test_records_hardly_gather_while_somebody_watches(hub: Hub, reading: Reader) -> None:
    hub.subscribe(Client(3), "session:s", StatusSubscription())
    async with asyncio.timeout(WAIT_SECONDS):
        await reading.pause(busy=False)
