"""Which partitions have a leader, on a real Kafka."""

import pytest
from aiokafka.errors import KafkaConnectionError

from tarsy_bus.client.connection import Bus
from tarsy_bus.topics.leaders import led_partitions
from tarsy_testing.servers.bus_kafka import Door, make_topic


async def test_a_partition_has_a_leader_in_all_topics_or_none(bare: Bus) -> None:
    inbox, sessions = bare.topics.inbox, bare.topics.sessions
    await make_topic(bare, inbox, partitions=3)
    await make_topic(bare, sessions, partitions=2)
    assert await led_partitions(bare, [inbox], [0, 2]) == {0, 2}
    assert await led_partitions(bare, [inbox, sessions], [0, 1, 2]) == {0, 1}
    assert await led_partitions(bare, [inbox, bare.topics.heads], [0, 1]) == set()


async def test_in_an_outage_it_says_so_at_once(bare: Bus, door: Door) -> None:
    """The caller has pauses of its own, and something better to wait for."""
    await door.shut()
    with pytest.raises(KafkaConnectionError):
        await led_partitions(Bus(bootstrap=door.address, topics=bare.topics, client="test"), [bare.topics.inbox], [0])
