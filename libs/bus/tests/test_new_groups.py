"""Where a consumer group begins that has committed nothing, on a real Kafka."""

import pytest
from aiokafka import TopicPartition

from tarsy_bus.client.client_lifecycle import start_client, stop_client
from tarsy_bus.client.connection import Bus, member, producer
from tarsy_bus.queues.new_groups import begin_at_end
from tarsy_bus.queues.start_positions import AssignedPartitions
from tarsy_bus.topics.topics_admin import admin
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.bus_kafka import make_topic

GROUP = "readers"


@pytest.fixture
async def topic(bare: Bus) -> str:
    """Three records in the first of two partitions."""
    name = bare.topics.events
    await make_topic(bare, name, partitions=2)
    writing = producer(bare)
    await writing.start()
    try:
        for number in range(3):
            await writing.send_and_wait(name, str(number).encode(), partition=0)
    finally:
        await writing.stop()
    return name


async def committed(bus: Bus) -> dict[int, int]:
    """By partition."""
    async with admin(bus) as client:
        found = await client.list_consumer_group_offsets(group_of(bus))
    return {place.partition: offset.offset for place, offset in found.items() if isinstance(place, TopicPartition)}


def group_of(bus: Bus) -> str:
    return f"{bus.topics.prefix}.{GROUP}"


async def test_a_new_group_begins_behind_all_that_is_there(bare: Bus, topic: str) -> None:
    await begin_at_end(bare, topic, group_of(bare))
    assert await committed(bare) == {0: 3, 1: 0}


async def test_a_group_that_has_committed_anything_stays_as_it_is(bare: Bus, topic: str) -> None:
    """In the partition of which it never had a record, the first one is for it."""
    consumer = member(bare, group_of(bare))
    try:
        await start_client(consumer)
        consumer.assign([TopicPartition(topic, 0)])
        consumer.seek(TopicPartition(topic, 0), 0)
        await consumer.commit({TopicPartition(topic, 0): 1})
    finally:
        await stop_client(consumer)
    await begin_at_end(bare, topic, group_of(bare))
    assert await committed(bare) == {0: 1}


async def test_a_group_that_has_members_is_left_to_them(bare: Bus, topic: str) -> None:
    consumer = member(bare, group_of(bare))
    try:
        consumer.subscribe([topic], listener=AssignedPartitions(consumer, may_skip=True))
        await start_client(consumer)

        async def joined() -> bool:
            return bool(consumer.assignment())

        await eventually(joined, "the group has a member")
        await begin_at_end(bare, topic, group_of(bare))
    finally:
        await stop_client(consumer)
    assert await committed(bare) == {}
