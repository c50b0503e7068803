"""A Kafka with only the topics that a test makes: all of ours would take seconds each time."""

from collections.abc import AsyncIterator

import pytest

from tarsy_bus.connection import Bus
from tarsy_bus_kafka import Door
from tarsy_contracts.topics import Topics
from tarsy_testing import delete_topics


@pytest.fixture
async def bare(kafka_bootstrap: str, topic_prefix: str) -> AsyncIterator[Bus]:
    """Names of this test's own; nothing is made yet."""
    bus = Bus(bootstrap=kafka_bootstrap, topics=Topics(topic_prefix), client="test")
    yield bus
    await delete_topics(bus)


@pytest.fixture
async def door(kafka_bootstrap: str) -> AsyncIterator[Door]:
    door = Door(kafka_bootstrap)
    await door.open()
    yield door
    await door.shut()
