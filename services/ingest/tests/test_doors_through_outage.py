"""A real Kafka that is killed: who sends alerts is answered before they give up, and taken once it is back."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from head_owner import head_owner, post, until_joined
from ingest_running import Records, StartIngest, alert_in

from tarsy_bus.client.connection import Bus
from tarsy_bus.topics.topics_admin import apply_topics
from tarsy_testing.real_servers import bus_of_tests, eventually
from tarsy_testing.servers.outage import KillableKafka, killable_kafka

WEBHOOK = "/api/v1/alerts/alertmanager"
ALERTMANAGER_GIVES_UP_SECONDS = 10.0


@pytest.fixture
def limits() -> None:
    """Those of production: a sender that is not answered before them gives up."""


@pytest.fixture
async def kafka(tmp_path: Path) -> AsyncIterator[KillableKafka]:
    async with killable_kafka(tmp_path / "kafka") as kafka:
        yield kafka


@pytest.fixture
async def bus(kafka: KillableKafka) -> Bus:
    """In place of the shared one: the ingest of these tests is at this Kafka."""
    bus = bus_of_tests(kafka.bootstrap, "tarsy")
    await apply_topics(bus)
    return bus


async def test_in_an_outage_senders_are_told_in_time_and_then_at_once_and_heads_are_followed_after_it(
    kafka: KillableKafka, bus: Bus, start_ingest: StartIngest, records: Records, samples: dict[str, Any]
) -> None:
    async with start_ingest() as ingest, head_owner(bus, records) as owner:

        async def send() -> int:
            return (await ingest.client.post(WEBHOOK, json=samples["grouped_25_alerts_max_alerts_10"])).status_code

        assert await send() == 202
        session_id = (await post(ingest))["session_id"]
        await kafka.kill()
        async with asyncio.timeout(ALERTMANAGER_GIVES_UP_SECONDS):
            assert await send() == 503
        assert [await send() for _ in range(20)] == [503] * 20
        assert (ingest.counted("alertmanager", "turned_away") or 0) > 0
        await kafka.start()

        async def taken() -> bool:
            return await send() == 202

        await eventually(taken, "Kafka is back, and a request finds it out", seconds=60)
        assert [await send() for _ in range(3)] == [202] * 3
        found = {alert_in(record).title for record in await records(bus.topics.inbox)}
        assert len(found) == 11
        await owner.open()
        await until_joined(ingest, session_id, "in_progress")
