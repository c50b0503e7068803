"""aiokafka asks for metadata again at once where a partition has no leader: ours do so with pauses."""

import asyncio
from typing import Any

import pytest
from aiokafka import TopicPartition
from aiokafka.client import AIOKafkaClient

from tarsy_bus.client.aiokafka_internals.cluster_metadata import MOST_UPDATES, UPDATES_SECONDS
from tarsy_bus.client.client_lifecycle import start_client, stop_client
from tarsy_bus.client.connection import Bus, producer, reader
from tarsy_bus.topics.topics_admin import admin
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.bus_kafka import make_topic


@pytest.fixture
def updates(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """When metadata was asked for, by any client."""
    began: list[float] = []
    really = AIOKafkaClient._metadata_update

    async def update(self: AIOKafkaClient, *about: Any) -> Any:
        began.append(asyncio.get_running_loop().time())
        return await really(self, *about)

    monkeypatch.setattr(AIOKafkaClient, "_metadata_update", update)
    return began


async def test_a_partition_without_a_leader_is_asked_for_with_pauses(bare: Bus, updates: list[float]) -> None:
    topic = bare.topics.sessions
    await make_topic(bare, topic, 1)
    consumer = reader(bare)
    try:
        await start_client(consumer)
        place = TopicPartition(topic, 99)
        consumer.assign([place])
        consumer.seek(place, 0)
        updates.clear()
        await asyncio.wait_for(_until(updates, 3 * MOST_UPDATES), 60)
    finally:
        await stop_client(consumer)
    rounds = [late - early for early, late in zip(updates, updates[MOST_UPDATES:], strict=False)]
    assert min(rounds) >= UPDATES_SECONDS * 0.99


async def test_what_a_client_asks_at_its_start_is_asked_without_a_pause(bare: Bus, updates: list[float]) -> None:
    await make_topic(bare, bare.topics.sessions, 1)
    for make in (reader, producer):
        updates.clear()
        client = make(bare)
        await start_client(client)
        await stop_client(client)
        assert len(updates) < MOST_UPDATES
    updates.clear()
    async with admin(bare):
        pass
    assert len(updates) < MOST_UPDATES


async def _until(updates: list[float], count: int) -> None:
    async def look() -> bool:
        return len(updates) >= count

    await eventually(look, "metadata was asked for")
