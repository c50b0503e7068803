"""Entries of gateways that were killed end on the topic too: an owner writes their tombstones."""

from datetime import UTC, datetime, timedelta

import pytest
from orchestrator_world import World

from tarsy_bus.background_tasks import background_tasks
from tarsy_bus.liveness.failure_detection import Liveness
from tarsy_bus.readers import catalog as entries
from tarsy_bus.readers.partition_reader import Record, read_to_end
from tarsy_config.config import Config
from tarsy_contracts.messages.workers import ServerCatalogued
from tarsy_orchestrator.effects.action_ledger import ActionLedger
from tarsy_orchestrator.effects.spending_ledger import SpendingLedger
from tarsy_orchestrator.effects.tool_catalog import ToolCatalog
from tarsy_testing.real_servers import eventually


async def test_what_was_forgotten_gets_a_tombstone(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "FORGOTTEN_AFTER", timedelta(0))
    topic, catalog = (
        world.bus.topics.catalog,
        ToolCatalog(
            Liveness("o"), ActionLedger(lambda: datetime.now(UTC)), SpendingLedger(lambda: datetime.now(UTC), Config)
        ),
    )

    async def say(worker: str) -> None:
        seen = ServerCatalogued(server="git", worker_id=worker, healthy=True, error="", tools=())
        await world.publisher.publish(topic, seen, key=f"git/{worker}", id=worker, subject="git")

    async def ended() -> bool:
        await say("living")
        found: list[bytes | None] = []

        def take(record: Record) -> None:
            if record.value is None:
                found.append(record.key)

        await read_to_end(world.bus, topic, {0: 0}, take)
        return b"git/killed" in found

    await say("killed")
    async with background_tasks(catalog.follow(world.bus), catalog.end_forgotten(world.publisher)):
        await eventually(ended, "the entry of the killed gateway has a tombstone")
