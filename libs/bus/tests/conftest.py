"""A Kafka with only the topics that a test makes: all of ours would take seconds each time."""

from collections.abc import AsyncIterator

import pytest

from tarsy_bus.client.connection import Bus
from tarsy_contracts.wire.topics import Topics
from tarsy_testing.servers.bus_kafka import Door


@pytest.fixture
def bare(kafka_bootstrap: str, topic_prefix: str) -> Bus:
    """Names of this test's own; nothing is made yet."""
    return Bus(bootstrap=kafka_bootstrap, topics=Topics(topic_prefix), client="test")


@pytest.fixture
async def door(kafka_bootstrap: str) -> AsyncIterator[Door]:
    door = Door(kafka_bootstrap)
    await door.open()
    yield door
    await door.shut()
