"""A world of its own for each test, on the Kafka of the test session."""

import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))

from orchestrator_world import World, stop_all

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_testing.real_servers import FEW_PARTITIONS, TopicPartitions

SESSION_TIMEOUT_MS = 30_000
"""Of the owners' group, in which the test's own process is the only one. Those that "die" leave it all the same: one
that the group misses because the machine is busy would lose its partitions, and take up its work anew.
"""


@pytest.fixture
def topic_partitions() -> TopicPartitions:
    return FEW_PARTITIONS


@pytest.fixture
async def world(bus: Bus) -> AsyncIterator[World]:
    """The catalog is there; owners are the test's to begin. Those that still run are stopped in good order."""
    async with Publisher(bus, source="test", now=lambda: datetime.now(UTC)).running() as publisher:
        world = World(replace(bus, session_timeout_ms=SESSION_TIMEOUT_MS), publisher)
        await world.catalogue()
        yield world
        await stop_all(world.owners)
