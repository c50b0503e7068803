"""A client of Kafka: a start that is cancelled, and a stop that fails."""

import asyncio
import os
import signal
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import AsyncMock

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.client import AIOKafkaClient, ConnectionGroup
from aiokafka.errors import KafkaConnectionError

from tarsy_bus.client import broker_connections, client_lifecycle
from tarsy_bus.client.client_lifecycle import start_client, stop_client
from tarsy_bus.client.connection import Bus, member, producer, reader
from tarsy_bus.topics.topics_admin import apply_topics
from tarsy_processes.ports import free_port
from tarsy_testing.real_servers import bus_of_tests, eventually, own_kafka

LIMIT_SECONDS = 30.0
LONG_SECONDS = 1_000.0


class Client:
    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.go = asyncio.Event()
        self.connected = False

    async def start(self) -> None:
        self.begun.set()
        await self.go.wait()
        self.connected = True

    async def stop(self) -> None:
        self.begun.set()
        await self.go.wait()


class CancelledByItself(Client):
    """As aiokafka's: it cancels a task of its own, and awaits it."""

    async def stop(self) -> None:
        own = asyncio.create_task(asyncio.sleep(LIMIT_SECONDS))
        own.cancel()
        await own


class Failing(Client):
    async def stop(self) -> None:
        raise RuntimeError("the stop failed")


async def test_a_cancelled_start_is_waited_for() -> None:
    client = Client()
    starting = asyncio.create_task(start_client(client))
    await client.begun.wait()
    starting.cancel()
    client.go.set()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert client.connected


async def test_a_cancelled_start_does_not_wait_for_a_broker_that_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """A read with a time limit would end behind it."""
    monkeypatch.setattr(client_lifecycle, "START_SECONDS", LONG_SECONDS)
    for name in ("WAIT_SECONDS", "SHORTEST_PAUSE_SECONDS", "LONGEST_PAUSE_SECONDS"):
        monkeypatch.setattr(broker_connections, name, LONG_SECONDS)
    bus = bus_of_tests(f"127.0.0.1:{free_port()}", "t")
    first, second = reader(bus), reader(bus)
    with pytest.raises(KafkaConnectionError):
        await start_client(first)
    starting = asyncio.create_task(start_client(second))
    await eventually(lambda: _waits_for_its_turn(bus), "it waits for its turn")
    starting.cancel()
    async with asyncio.timeout(LIMIT_SECONDS):
        await asyncio.wait([starting])
    assert starting.cancelled()
    for client in (first, second):
        await stop_client(client)


async def _waits_for_its_turn(bus: Bus) -> bool:
    return bool(bus.connections._waiting)


async def test_one_that_does_not_come_to_an_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_lifecycle, "START_SECONDS", 0.05)
    client = Client()
    starting = asyncio.create_task(start_client(client))
    await client.begun.wait()
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert not client.connected


class BrokerThatFallsSilent:
    """It answers the first request of a connection, for the versions that it speaks, and no other."""

    def __init__(self) -> None:
        self.silent, self.left = asyncio.Event(), asyncio.Event()

    async def serve(self, reading: asyncio.StreamReader, writing: asyncio.StreamWriter) -> None:
        number = (await self._request(reading))[4:8]
        metadata_in_one_version = struct.pack(">hihhh", 0, 1, 3, 0, 0)
        writing.write(struct.pack(">i", 4 + len(metadata_in_one_version)) + number + metadata_in_one_version)
        await self._request(reading)
        self.silent.set()
        await reading.read()
        self.left.set()
        writing.close()

    async def _request(self, reading: asyncio.StreamReader) -> bytes:
        (size,) = struct.unpack(">i", await reading.readexactly(4))
        return await reading.readexactly(size)


@pytest.mark.parametrize("own_close", [None, RuntimeError("aiokafka's own close failed")], ids=["closed", "failing"])
async def test_a_connection_whose_first_answer_nobody_waits_for_any_more_is_closed(
    monkeypatch: pytest.MonkeyPatch, own_close: Exception | None
) -> None:
    monkeypatch.setattr(client_lifecycle, "START_SECONDS", 0.05)
    if own_close is not None:
        monkeypatch.setattr(AIOKafkaClient, "close", AsyncMock(side_effect=own_close))
    broker = BrokerThatFallsSilent()
    async with await asyncio.start_server(broker.serve, "127.0.0.1", 0) as listener:
        port = listener.sockets[0].getsockname()[1]
        client = reader(bus_of_tests(f"127.0.0.1:{port}", "t"))
        starting = asyncio.create_task(start_client(client))
        try:
            async with asyncio.timeout(LIMIT_SECONDS):
                await broker.silent.wait()
                starting.cancel()
                await asyncio.wait([starting])
                await stop_client(client)
                await broker.left.wait()
        finally:
            listener.abort_clients()


@pytest.mark.parametrize("client", [CancelledByItself, Failing])
async def test_what_a_stop_raises_does_not_replace_what_really_happened(client: type[Client]) -> None:
    async def work() -> None:
        try:
            raise LookupError("the real problem")
        finally:
            await stop_client(client())

    task = asyncio.create_task(work())
    await asyncio.wait([task])
    assert not task.cancelled()
    assert isinstance(task.exception(), LookupError)


async def test_a_stop_that_does_not_end_is_given_up() -> None:
    await stop_client(Client(), seconds=0.05)


async def test_whoever_is_cancelled_while_the_client_stops_is_cancelled() -> None:
    client = Client()
    stopping = asyncio.create_task(stop_client(client, seconds=LIMIT_SECONDS))
    await client.begun.wait()
    stopping.cancel()
    async with asyncio.timeout(LIMIT_SECONDS / 2):
        with pytest.raises(asyncio.CancelledError):
            await stopping


@pytest.fixture
def dying_bus(tmp_path: Path) -> Iterator[tuple[Bus, Callable[[], None]]]:
    """A broker of this test's own, and its end."""
    with own_kafka(tmp_path / "kafka") as kafka:
        yield bus_of_tests(kafka.bootstrap, "t"), lambda: os.kill(kafka.pid, signal.SIGKILL)


async def test_nothing_of_a_client_stays_when_its_broker_is_gone(
    dying_bus: tuple[Bus, Callable[[], None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the real client: a reader that fetches, a member of a group, a producer that has something to send."""
    monkeypatch.setattr(client_lifecycle, "STOP_SECONDS", 1.0)
    bus, kill = dying_bus
    await apply_topics(bus)
    before = asyncio.all_tasks()
    following, owning, sending = reader(bus), member(bus, "group"), producer(bus)
    clients = [following, owning, sending]
    owning.subscribe([bus.topics.inbox])
    for client in clients:
        await start_client(client)
    await eventually(lambda: _has_joined(owning), "the member has its partitions")
    following.assign([TopicPartition(bus.topics.inbox, 0)])
    await following.seek_to_end()
    await sending.send_and_wait(bus.topics.inbox, b"so that it knows the topic")
    kill()
    unsent = await sending.send(bus.topics.inbox, b"")
    await following.getmany(timeout_ms=2_000)

    async def work() -> None:
        try:
            raise LookupError("the real problem")
        finally:
            for client in clients:
                await stop_client(client)

    task = asyncio.create_task(work())
    await asyncio.wait([task], timeout=LIMIT_SECONDS)
    assert isinstance(task.exception(), LookupError)
    assert unsent.done()
    unsent.exception()
    left = asyncio.all_tasks() - before - {task}
    if left:
        await asyncio.wait(left, timeout=LIMIT_SECONDS)
    assert not [one for one in left if not one.done()]


async def _has_joined(owning: AIOKafkaConsumer) -> bool:
    return bool(owning.assignment())


async def test_a_producer_that_waits_for_metadata_is_abandoned_with_all_its_tasks(
    dying_bus: tuple[Bus, Callable[[], None]],
) -> None:
    """A request of it waits for metadata, which nobody asks for once the client is closed."""
    bus, kill = dying_bus
    await apply_topics(bus)
    before = asyncio.all_tasks()
    sending = producer(bus)
    await start_client(sending)
    await sending.send_and_wait(bus.topics.inbox, b"so that it knows the topic")
    kill()
    unsent = await sending.send(bus.topics.inbox, b"")
    await eventually(lambda: _waits_for_metadata(sending), "a request that waits for metadata")
    await stop_client(sending, seconds=0.1)
    assert unsent.exception() is not None
    assert not asyncio.all_tasks() - before


async def _waits_for_metadata(sending: AIOKafkaProducer) -> bool:
    return bool(sending._sender._in_flight) and sending.client._md_update_fut is not None


async def test_a_connection_that_is_made_while_its_client_is_closed_is_closed(bus: Bus) -> None:
    consumer = reader(bus)
    await start_client(consumer)
    inner = consumer._client
    (broker,) = inner.cluster.brokers()
    connecting = asyncio.create_task(inner.ready(broker.nodeId, group=ConnectionGroup.COORDINATION))
    await asyncio.sleep(0)
    await stop_client(consumer)
    assert await connecting is False
    assert [connection for connection in inner._conns.values() if connection.connected()] == []
