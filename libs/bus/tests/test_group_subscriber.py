"""A record is taken, or refused, or ends the reading, on a real Kafka: FastStream alone would go past it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
from aiokafka import TopicPartition
from aiokafka.cluster import ClusterMetadata
from aiokafka.errors import ConsumerStoppedError
from structlog.testing import capture_logs

from tarsy_bus.background_tasks import background_tasks
from tarsy_bus.client.connection import Bus, producer
from tarsy_bus.queues.group_consumer import GroupConsumer, NotHandedOverError
from tarsy_bus.queues.group_subscriber import subscribe
from tarsy_bus.readers.partition_reader import Record
from tarsy_bus.topics.topics_admin import admin
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.bus_kafka import Door, LostLeaders, make_topic
from tarsy_testing.servers.foreign_batches import write_in_transaction


class OddError(Exception):
    """What a test raises."""


@pytest.fixture
async def topic(bare: Bus) -> str:
    """Three records in each of two partitions; a header of each is nobody's text."""
    name = bare.topics.tool_calls
    await make_topic(bare, name, partitions=2)
    writing = producer(bare)
    await writing.start()
    try:
        for partition in (0, 1):
            for number in range(3):
                value = f"{partition}-{number}".encode()
                headers = [("x", b"\xff\xfe"), ("y", None)]
                await writing.send_and_wait(name, value, headers=headers, partition=partition)
    finally:
        await writing.stop()
    return name


async def committed(bus: Bus) -> dict[int, int]:
    """By partition."""
    async with admin(bus) as client:
        found = await client.list_consumer_group_offsets(f"{bus.topics.prefix}.group")
    return {place.partition: offset.offset for place, offset in found.items() if isinstance(place, TopicPartition)}


async def read(
    bus: Bus, handler: Callable[[str], Awaitable[None]], refuse: Callable[[Record, Exception], Awaitable[None]]
) -> None:
    def decode(record: Record) -> str:
        return (record.value or b"").decode()

    async with asyncio.timeout(120):
        await subscribe(consumer_of(bus), decode=decode, handler=handler, refuse=refuse)


def consumer_of(bus: Bus) -> GroupConsumer:
    """Commits at its end only."""
    topic, group = bus.topics.tool_calls, f"{bus.topics.prefix}.group"
    return GroupConsumer(bus, topic, group, may_skip=False, commit_seconds=3600)


async def refuse_none(_: Record, problem: Exception) -> None:
    raise problem


async def test_an_error_of_a_handler_ends_the_reading_and_its_record_is_not_committed(bare: Bus, topic: str) -> None:
    taken: list[str] = []

    async def handler(value: str) -> None:
        if value == "1-1":
            raise OddError("of the handler")
        taken.append(value)

    with pytest.raises(OddError, match="of the handler"):
        await read(bare, handler, refuse_none)
    assert (await committed(bare)).get(1) == 1
    assert "1-2" not in taken
    taken.clear()
    with pytest.raises(OddError):
        await read(bare, handler, refuse_none)
    assert "1-0" not in taken, "what was handed over in partition 1 is not read again"


async def test_what_is_refused_is_gone_past_and_what_cannot_be_refused_is_not(bare: Bus, topic: str) -> None:
    refused: list[bytes | None] = []

    async def handler(value: str) -> None:
        if value.startswith("0"):
            raise OddError(value)

    async def refuse(record: Record, _: Exception) -> None:
        if len(refused) == 2:
            raise OSError("no dead letters")
        refused.append(record.value)

    with pytest.raises(OSError, match="no dead letters"):
        await read(bare, handler, refuse)
    assert refused == [b"0-0", b"0-1"]
    assert (await committed(bare))[0] == 2


async def test_a_subscriber_that_ends_by_itself_is_an_error(bare: Bus, topic: str) -> None:
    """FastStream's task ends with a CancelledError that nobody asked for, as aiokafka raises it at times."""

    async def handler(_: str) -> None:
        raise asyncio.CancelledError

    with pytest.raises(RuntimeError, match="a subscriber has ended by itself"):
        await read(bare, handler, refuse_none)
    assert await committed(bare) == {}


async def test_who_is_cancelled_in_a_handler_commits_what_came_before(bare: Bus, topic: str) -> None:
    ended = False
    inside = asyncio.Event()

    async def handler(value: str) -> None:
        nonlocal ended
        if value == "0-1":
            inside.set()
            try:
                await asyncio.sleep(3600)
            finally:
                await asyncio.sleep(0.2)
                ended = True

    reading = asyncio.create_task(read(bare, handler, refuse_none))
    await asyncio.wait_for(inside.wait(), 60)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert ended, "the handler has come to its end before the reading did"
    assert (await committed(bare))[0] == 1


async def test_no_record_is_read_behind_one_that_nobody_answered_for(bare: Bus, topic: str) -> None:
    """Whatever swallowed its error."""
    consumer = consumer_of(bare)
    consumer.subscribe(topics=[topic], pattern=None, listener=None)
    try:
        await consumer.start()
        async with asyncio.timeout(60):
            first = await consumer.getone()
            consumer.mark_handed_over(first)
            await consumer.getone()
            for _ in range(2):
                with pytest.raises(ConsumerStoppedError):
                    await consumer.getone()
    finally:
        await consumer.stop()
    assert isinstance(consumer.problem, NotHandedOverError)
    assert await committed(bare) == {first.partition: first.offset + 1}


async def test_who_begins_on_a_quiet_topic_knows_so_before_the_first_fetch_is_answered(bare: Bus) -> None:
    """Kafka answers it after seconds: a start that waited for it was so much longer."""
    topic, group, told = bare.topics.tool_calls, f"{bare.topics.prefix}.group", list[str]()
    await make_topic(bare, topic, partitions=2)
    answered = asyncio.Event()

    def stepped() -> None:
        told.append("answered")
        answered.set()

    consumer = GroupConsumer(
        bare, topic, group, may_skip=False, commit_seconds=3600, opened=lambda: told.append("opened"), heartbeat=stepped
    )
    async with background_tasks(subscribe(consumer, decode=repr, handler=nothing, refuse=refuse_none)):
        async with asyncio.timeout(60):
            await answered.wait()
    assert told[:2] == ["opened", "answered"]


async def nothing(_: object) -> None:
    return


async def test_behind_the_marker_of_a_transaction_the_group_has_no_lag(bare: Bus) -> None:
    """It takes an offset and holds no record: whoever scales by the lag would see one record for ever."""
    topic, group = bare.topics.tool_calls, f"{bare.topics.prefix}.group"
    await make_topic(bare, topic)
    await write_in_transaction(bare, topic)
    taken: list[bytes | None] = []

    async def handler(value: bytes | None) -> None:
        taken.append(value)

    consumer = GroupConsumer(bare, topic, group, may_skip=False, commit_seconds=0.1)
    reading = subscribe(consumer, decode=lambda record: record.value, handler=handler, refuse=refuse_none)
    async with background_tasks(reading):

        async def all_is_committed() -> bool:
            return await committed(bare) == {0: 2}

        await eventually(all_is_committed, "the record and the marker are committed")
    assert taken == [b"not ours"]


async def test_what_was_read_and_not_handed_over_is_not_committed_beside_a_marker(bare: Bus, topic: str) -> None:
    """The position of its partition lies behind it already."""
    await write_in_transaction(bare, topic, partition=0)
    await write_in_transaction(bare, topic, partition=1)
    inside = asyncio.Event()

    async def handler(value: str) -> None:
        if value == "1-1":
            inside.set()
            await asyncio.sleep(3600)

    consumer = GroupConsumer(bare, topic, f"{bare.topics.prefix}.group", may_skip=False, commit_seconds=0.0)
    reading = subscribe(consumer, decode=lambda one: (one.value or b"").decode(), handler=handler, refuse=refuse_none)
    async with background_tasks(reading), asyncio.timeout(60):
        await inside.wait()
    assert (await committed(bare))[1] == 1


async def test_a_partition_without_a_leader_keeps_no_other_from_being_read(
    bare: Bus, topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The group has just assigned both, and the consumer finds the beginning of one only."""
    lost, taken = LostLeaders(monkeypatch), list[str]()
    lost.places.add(TopicPartition(topic, 1))

    async def handler(value: str) -> None:
        taken.append(value)

    async def until_taken(values: list[str]) -> None:
        async def look() -> bool:
            return taken == values

        await eventually(look, lambda: f"{values} are taken: {taken}", seconds=60)

    async with background_tasks(read(bare, handler, refuse_none)):
        await until_taken(["0-0", "0-1", "0-2"])
        lost.places.clear()
        await until_taken(["0-0", "0-1", "0-2", "1-0", "1-1", "1-2"])


async def test_who_begins_while_kafka_is_away_reads_when_it_is_back(bare: Bus, topic: str, door: Door) -> None:
    """The service may have built up much by then, as a gateway its MCP servers: it ended with the attempt."""
    taken = asyncio.Event()

    async def handler(_: str) -> None:
        taken.set()

    bus = replace(bare, bootstrap=door.address)
    await door.shut()
    with capture_logs() as lines:
        async with background_tasks(read(bus, handler, refuse_none)):

            async def waits() -> bool:
                return any(line["event"] == "kafka.waited_for" for line in lines)

            await eventually(waits, "it waits for Kafka")
            await door.open()
            await asyncio.wait_for(taken.wait(), 60)


async def test_a_broker_that_knows_of_no_broker_yet_ends_no_member_that_begins(
    bare: Bus, topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So answers one that was away, or that has just begun, until the cluster counts on it again."""
    taken, really, counts_on_it = asyncio.Event(), ClusterMetadata.brokers, asyncio.Event()
    asyncio.get_running_loop().call_later(2.0, counts_on_it.set)

    def brokers(cluster: ClusterMetadata) -> Any:
        return really(cluster) if counts_on_it.is_set() else set()

    async def handler(_: str) -> None:
        taken.set()

    monkeypatch.setattr(ClusterMetadata, "brokers", brokers)
    async with background_tasks(read(bare, handler, refuse_none)):
        await asyncio.wait_for(taken.wait(), 60)
