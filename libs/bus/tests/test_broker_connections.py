"""Attempts at a broker that is away are shared by all clients of a process, and are told in few lines. Virtual time."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from aiokafka.errors import KafkaConnectionError
from structlog.testing import capture_logs
from structlog.typing import EventDict

from tarsy_bus.client.broker_connections import (
    LINE_SECONDS,
    LONGEST_PAUSE_SECONDS,
    MOST_AT_ONCE,
    OVERTAKEN_SECONDS,
    QUIET_SECONDS,
    SHORTEST_PAUSE_SECONDS,
    WAIT_SECONDS,
    BrokerConnections,
    SharingClient,
)
from tarsy_testing.real_servers import eventually
from tarsy_testing.simulation.virtual_time import VirtualLoop

BROKER, OTHER = ("kafka-0", 9092), ("kafka-1", 9092)
BEGAN = datetime(2026, 11, 24, 8, 0, tzinfo=UTC)
CLIENTS = 24
IMPATIENCE_SECONDS = 0.1
"""aiokafka's own pause between two tries of one task."""
TRIP_SECONDS = 0.001


class Network:
    """Brokers, and every attempt to connect to one of them. `silent`: nobody answers, and nobody refuses."""

    def __init__(self) -> None:
        self.refuses: set[tuple[str, int]] = set()
        self.silent: set[tuple[str, int]] = set()
        self.attempts: list[float] = []
        self.open = 0

    async def attempt(self, broker: tuple[str, int]) -> float:
        now = asyncio.get_running_loop().time
        self.attempts.append(now())
        self.open += 1
        try:
            if broker in self.silent:
                async with asyncio.timeout(20):
                    await asyncio.get_running_loop().create_future()
            await asyncio.sleep(TRIP_SECONDS)
            if broker in self.refuses:
                raise ConnectionRefusedError(111, "Connect call failed")
        finally:
            self.open -= 1
        return now()


@pytest.fixture
def network() -> Network:
    return Network()


@pytest.fixture
def lines() -> Iterator[list[EventDict]]:
    with capture_logs() as lines:
        yield lines


def shared() -> BrokerConnections:
    def now() -> datetime:
        return BEGAN + timedelta(seconds=asyncio.get_running_loop().time())

    return BrokerConnections(now=now)


def play(work: Callable[[], Coroutine[object, object, None]]) -> None:
    loop = VirtualLoop()
    try:
        loop.run_until_complete(work())
    finally:
        loop.close()


async def _is(found: bool) -> bool:
    return found


async def connect_again_and_again(connections: BrokerConnections, network: Network, client: SharingClient) -> float:
    """As a task of aiokafka does. Returns when it was connected."""
    while True:
        try:
            return await connections.connect(BROKER, lambda: network.attempt(BROKER), client)
        except (OSError, KafkaConnectionError):
            await asyncio.sleep(IMPATIENCE_SECONDS)


def test_a_broker_that_answers_is_connected_to_at_once_by_all(network: Network, lines: list[EventDict]) -> None:
    async def work() -> None:
        connections = shared()
        clients = [connect_again_and_again(connections, network, SharingClient()) for _ in range(CLIENTS)]
        assert await asyncio.gather(*clients) == [TRIP_SECONDS] * CLIENTS

    play(work)
    assert len(network.attempts) == CLIENTS
    assert lines == []


def test_many_clients_try_a_broker_that_is_away_as_often_as_one(network: Network) -> None:
    async def work() -> None:
        connections = shared()
        network.refuses.add(BROKER)
        clients = [connect_again_and_again(connections, network, SharingClient()) for _ in range(CLIENTS)]
        working = asyncio.gather(*clients)
        await asyncio.sleep(100)
        first, later = network.attempts[:CLIENTS], network.attempts[CLIENTS:]
        assert set(first) == {0.0}, "nobody knew yet"
        assert 100 / LONGEST_PAUSE_SECONDS - 5 <= len(later) <= 100 / SHORTEST_PAUSE_SECONDS
        pauses = [late - early for early, late in pairwise(later)]
        assert min(pauses) >= SHORTEST_PAUSE_SECONDS
        network.refuses.clear()
        assert max(await working) <= 100 + LONGEST_PAUSE_SECONDS + 2 * IMPATIENCE_SECONDS, "all of them, in a second"

    play(work)


def test_an_outage_is_told_at_its_beginning_each_minute_and_at_its_end(
    network: Network, lines: list[EventDict]
) -> None:
    async def work() -> None:
        connections = shared()
        working = asyncio.gather(
            *(connect_again_and_again(connections, network, SharingClient()) for _ in range(CLIENTS))
        )
        await working
        await asyncio.sleep(60)
        network.refuses.add(BROKER)
        working = asyncio.gather(
            *(connect_again_and_again(connections, network, SharingClient()) for _ in range(CLIENTS))
        )
        await asyncio.sleep(2.5 * LINE_SECONDS)
        network.refuses.clear()
        await working

    play(work)
    assert [(line["event"], line["log_level"], line["broker"], line["since"]) for line in lines] == [
        ("kafka.broker_unreachable", "warning", "kafka-0:9092", "2026-11-24T08:01:00Z"),
        ("kafka.broker_unreachable", "warning", "kafka-0:9092", "2026-11-24T08:01:00Z"),
        ("kafka.broker_unreachable", "warning", "kafka-0:9092", "2026-11-24T08:01:00Z"),
        ("kafka.broker_reachable", "info", "kafka-0:9092", "2026-11-24T08:01:00Z"),
    ]
    assert [round(line["seconds"] / 10) for line in lines] == [0, 6, 12, 15]
    assert "Connect call failed" in lines[0]["reason"]


def test_a_broker_that_comes_and_goes_does_not_fill_the_log(network: Network, lines: list[EventDict]) -> None:
    async def work() -> None:
        connections = shared()
        for _ in range(100):
            network.refuses.add(BROKER)
            working = asyncio.ensure_future(connect_again_and_again(connections, network, SharingClient()))
            await asyncio.sleep(0.5)
            network.refuses.clear()
            await working

    play(work)
    assert network.attempts[-1] >= 5 * QUIET_SECONDS
    most = network.attempts[-1] / QUIET_SECONDS + 1
    assert 3 <= len([line for line in lines if line["event"] == "kafka.broker_unreachable"]) <= most
    assert len(lines) <= 2 * most


def test_whoever_waits_for_the_attempts_of_others_fails_after_a_while_with_their_reason(network: Network) -> None:
    async def work() -> None:
        connections, now = shared(), asyncio.get_running_loop().time
        network.silent.add(BROKER)
        silent = [
            asyncio.ensure_future(connect_again_and_again(connections, network, SharingClient()))
            for _ in range(MOST_AT_ONCE)
        ]
        await asyncio.sleep(30)
        began = now()
        with pytest.raises(KafkaConnectionError, match="kafka-0:9092 is away, and other clients try it: TimeoutError"):
            await connections.connect(BROKER, lambda: network.attempt(BROKER), SharingClient())
        assert now() - began == pytest.approx(WAIT_SECONDS)
        for one in silent:
            one.cancel()
        await asyncio.wait(silent)

    play(work)


def test_silence_is_tried_by_few_at_once_and_its_end_is_noticed_in_seconds(network: Network) -> None:
    async def work() -> None:
        connections, now = shared(), asyncio.get_running_loop().time
        network.silent.add(BROKER)
        working = asyncio.gather(
            *(connect_again_and_again(connections, network, SharingClient()) for _ in range(CLIENTS))
        )
        await asyncio.sleep(200)
        assert network.open <= MOST_AT_ONCE
        began = len(network.attempts)
        # Packets that were sent before this went nowhere; their attempts would last their 20 s.
        network.silent.clear()
        await eventually(lambda: _is(len(network.attempts) > began), "a further attempt")
        again = now()
        assert max(await working) <= again + OVERTAKEN_SECONDS + LONGEST_PAUSE_SECONDS

    play(work)


def test_another_broker_that_would_do_is_turned_to_at_once(network: Network) -> None:
    async def work() -> None:
        connections, now = shared(), asyncio.get_running_loop().time
        client = SharingClient(others=lambda: [BROKER, OTHER])
        network.refuses |= {BROKER, OTHER}
        with pytest.raises(ConnectionRefusedError):
            await connections.connect(BROKER, lambda: network.attempt(BROKER), client)
        with pytest.raises(KafkaConnectionError, match="kafka-0:9092 is away"):
            await connections.connect(BROKER, lambda: network.attempt(BROKER), client)
        assert now() == TRIP_SECONDS
        # Now both are away: whoever wants either waits, until one of them is back.
        with pytest.raises(ConnectionRefusedError):
            await connections.connect(OTHER, lambda: network.attempt(OTHER), client)
        waiting = asyncio.ensure_future(connections.connect(BROKER, lambda: network.attempt(BROKER), client))
        await asyncio.sleep(SHORTEST_PAUSE_SECONDS / 2)
        assert not waiting.done()
        with pytest.raises(ConnectionRefusedError):
            await waiting

    play(work)


def test_a_broker_that_is_back_is_found_though_others_would_do(network: Network) -> None:
    """Else partitions that it leads again would be out of reach for good."""

    async def work() -> None:
        connections = shared()
        client = SharingClient(others=lambda: [BROKER, OTHER])
        network.refuses.add(BROKER)
        with pytest.raises(ConnectionRefusedError):
            await connections.connect(BROKER, lambda: network.attempt(BROKER), client)
        network.refuses.discard(BROKER)
        async with asyncio.timeout(2 * LONGEST_PAUSE_SECONDS):
            while True:
                with suppress(KafkaConnectionError):
                    await connections.connect(BROKER, lambda: network.attempt(BROKER), client)
                    return
                await asyncio.sleep(TRIP_SECONDS)

    play(work)


def test_a_client_that_is_closed_waits_no_more(network: Network) -> None:
    async def work() -> None:
        connections, now, client = shared(), asyncio.get_running_loop().time, SharingClient()
        network.refuses.add(BROKER)
        with pytest.raises(ConnectionRefusedError):
            await connections.connect(BROKER, lambda: network.attempt(BROKER), client)
        waiting = asyncio.ensure_future(connections.connect(BROKER, lambda: network.attempt(BROKER), client))
        await asyncio.sleep(0.1)
        connections.close(client)
        with pytest.raises(KafkaConnectionError):
            await waiting
        assert now() == pytest.approx(0.1 + TRIP_SECONDS)

    play(work)


def test_a_cancelled_wait_leaves_nothing_behind(network: Network) -> None:
    async def work() -> None:
        connections, client = shared(), SharingClient()
        network.refuses.add(BROKER)
        with pytest.raises(ConnectionRefusedError):
            await connections.connect(BROKER, lambda: network.attempt(BROKER), client)
        waiting = asyncio.ensure_future(connections.connect(BROKER, lambda: network.attempt(BROKER), client))
        await asyncio.sleep(0.1)
        waiting.cancel()
        await asyncio.wait([waiting])
        assert waiting.cancelled()
        assert not connections._waiting
        assert not connections._attempts

    play(work)
