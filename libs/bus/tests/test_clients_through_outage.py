"""Clients of every kind whose real Kafka is killed under them, in their start and later, and comes back."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, suppress
from functools import partial
from pathlib import Path

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.client import AIOKafkaClient
from aiokafka.errors import KafkaError

from tarsy_bus.background_tasks import background_tasks
from tarsy_bus.client.client_lifecycle import start_client, stop_client
from tarsy_bus.client.connection import Bus, member, producer, reader
from tarsy_bus.queues.group_consumer import GroupConsumer
from tarsy_bus.queues.group_subscriber import subscribe
from tarsy_bus.queues.start_positions import AssignedPartitions
from tarsy_bus.readers.partition_reader import Record
from tarsy_contracts.wire.topics import Topics
from tarsy_testing.real_servers import WAIT_SECONDS, eventually
from tarsy_testing.servers.bus_kafka import make_topic
from tarsy_testing.servers.outage import KillableKafka, killable_kafka

TOPIC = "outage.alerts"
OUTAGE_SECONDS = 2.0
RECOVERY_SECONDS = 30.0
"""It takes less than one. A client that waited for its own turn, or for a long pause, would take longer."""


@pytest.fixture
async def kafka(tmp_path: Path) -> AsyncIterator[KillableKafka]:
    async with killable_kafka(tmp_path / "kafka") as kafka:
        yield kafka


def bus_at(kafka: KillableKafka) -> Bus:
    return Bus(bootstrap=kafka.bootstrap, topics=Topics("outage"), client="test")


class Reading:
    """Values that a client has read."""

    def __init__(self) -> None:
        self.values: set[bytes | None] = set()

    def take(self, value: bytes | None) -> None:
        self.values.add(value)

    async def has(self, value: bytes) -> bool:
        return value in self.values


async def poll(consumer: AIOKafkaConsumer, reading: Reading, assigned: AssignedPartitions | None = None) -> None:
    while True:
        with suppress(KafkaError):
            if assigned is not None:
                await assigned.open()
            for records in (await consumer.getmany(timeout_ms=200)).values():
                for record in records:
                    reading.take(record.value)


async def by_faststream(bus: Bus, reading: Reading) -> None:
    async def handler(value: bytes) -> None:
        reading.take(value)

    async def refuse(_: Record, problem: Exception) -> None:
        raise problem

    consumer = GroupConsumer(bus, TOPIC, "faststream", may_skip=False, commit_seconds=0.5)
    await subscribe(consumer, decode=lambda record: record.value or b"", handler=handler, refuse=refuse)


async def send(sending: AIOKafkaProducer, value: bytes, *, seconds: float = RECOVERY_SECONDS) -> None:
    async with asyncio.timeout(seconds):
        await sending.send_and_wait(TOPIC, value, partition=0)


def follow(client: AIOKafkaConsumer) -> None:
    client.assign([TopicPartition(TOPIC, 0)])
    client.seek(TopicPartition(TOPIC, 0), 0)


def join(client: AIOKafkaConsumer) -> AssignedPartitions:
    assigned = AssignedPartitions(client, may_skip=False)
    client.subscribe([TOPIC], listener=assigned)
    return assigned


async def until_all_have(value: bytes, readings: Sequence[Reading], *, seconds: float = RECOVERY_SECONDS) -> None:
    for reading in readings:
        await eventually(partial(reading.has, value), f"all have read {value!r}", seconds=seconds)


async def test_all_kinds_of_clients_at_once_go_on_soon_after_kafka_is_back(kafka: KillableKafka) -> None:
    bus = bus_at(kafka)
    await make_topic(bus, TOPIC, 1)
    following, owning, sending = reader(bus), member(bus, "members"), producer(bus)
    by_reader, by_member, by_subscriber = readings = Reading(), Reading(), Reading()
    async with AsyncExitStack() as stack:
        for client in (following, owning, sending):
            await start_client(client)
            stack.push_async_callback(stop_client, client)
        follow(following)
        work = (
            poll(following, by_reader),
            poll(owning, by_member, join(owning)),
            by_faststream(bus, by_subscriber),
        )
        await stack.enter_async_context(background_tasks(*work))
        # A new broker makes the topic of its groups first.
        await send(sending, b"before", seconds=WAIT_SECONDS)
        await until_all_have(b"before", readings, seconds=WAIT_SECONDS)
        await kafka.kill()
        await asyncio.sleep(OUTAGE_SECONDS)
        await kafka.start()
        await send(sending, b"after")
        await until_all_have(b"after", readings)


async def test_clients_whose_kafka_dies_in_their_start_have_started_soon_after_it_is_back(
    kafka: KillableKafka,
) -> None:
    """They know the cluster already. One that does not fails, and whoever started it begins again."""
    bus = bus_at(kafka)
    await make_topic(bus, TOPIC, 1)
    owning, sending = member(bus, "members"), producer(bus)
    subscribed = GroupConsumer(bus, TOPIC, "faststream", may_skip=False, commit_seconds=0.5)
    subscribed.subscribe(topics=[TOPIC], pattern=None, listener=None)
    assigned, by_member = join(owning), Reading()
    inner: list[AIOKafkaClient] = [owning._client, sending.client, subscribed._consumer._client]
    all_know_it, is_dead = asyncio.Barrier(len(inner) + 1), asyncio.Event()

    async def bootstrap(really: Callable[[], Awaitable[None]]) -> None:
        await really()
        await all_know_it.wait()
        await is_dead.wait()

    for one in inner:
        one.bootstrap = partial(bootstrap, one.bootstrap)
    async with AsyncExitStack() as stack:
        for client in (owning, sending, subscribed):
            stack.push_async_callback(stop_client, client)
        starts = asyncio.gather(*(start_client(client) for client in (owning, sending, subscribed)))
        await all_know_it.wait()
        await kafka.kill()
        is_dead.set()
        await asyncio.sleep(OUTAGE_SECONDS)
        assert not starts.done()
        await kafka.start()
        async with asyncio.timeout(RECOVERY_SECONDS):
            await starts
        await stack.enter_async_context(background_tasks(poll(owning, by_member, assigned)))
        await send(sending, b"first")
        await until_all_have(b"first", [by_member])
        async with asyncio.timeout(RECOVERY_SECONDS):
            assert (await subscribed.getone()).value == b"first"
