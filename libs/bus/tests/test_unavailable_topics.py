"""Topics that a cluster has and cannot serve now, on three real brokers: an outage, and no topic is called missing."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
from aiokafka.errors import KafkaError

from tarsy_bus.client.connection import Bus, Layout
from tarsy_bus.topics import topics_admin
from tarsy_bus.topics.cluster_topics import TopicsUnavailableError
from tarsy_bus.topics.topics_admin import apply_topics, await_topics, check_topics, compare_topics
from tarsy_testing.real_servers import bus_of_tests, eventually
from tarsy_testing.servers.brokers import Brokers, three_brokers

pytestmark = pytest.mark.timeout(300)

FENCED = 3
OUTAGE_SECONDS = 30.0


@pytest.fixture
async def brokers(work_folder: Path) -> AsyncIterator[Brokers]:
    folder = work_folder / f"fenced-{uuid4().hex[:8]}"
    async with three_brokers(folder) as brokers:
        yield brokers
    shutil.rmtree(folder, ignore_errors=True)


async def test_a_fenced_broker_makes_topics_unavailable_and_not_missing(
    brokers: Brokers, topic_prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One copy of each partition: a third of them have no leader while its broker is fenced."""
    bus = bus_of_tests(brokers.address(1), topic_prefix)
    await apply_topics(bus, replication=1)
    brokers.freeze(FENCED)
    try:
        await judge_while_fenced(bus, monkeypatch)
        started = replace(bus, layout=Layout())
        waiting = asyncio.create_task(await_topics(started))

        async def says_why() -> bool:
            return "have no leader" in started.layout.waits_for

        await eventually(says_why, "a service that starts says what it waits for")
        assert not waiting.done()
    finally:
        brokers.thaw(FENCED)
    await waiting
    assert started.layout.waits_for == ""
    monkeypatch.undo()
    assert await apply_topics(bus, replication=1) == []


async def judge_while_fenced(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    async def is_fenced() -> bool:
        with suppress(KafkaError):
            return len((await compare_topics(bus)).unavailable) > 1
        return False

    await eventually(is_fenced, "the broker is fenced")
    found = await compare_topics(bus)
    assert (list(found.missing), list(found.misfits)) == ([], [])
    assert any("partitions have no leader" in one for one in found.unavailable)
    with pytest.raises(TopicsUnavailableError, match="have no leader"):
        await check_topics(bus)

    monkeypatch.setattr(topics_admin, "READY_SECONDS", 1.0)
    with pytest.raises(TopicsUnavailableError, match="have no leader"):
        await apply_topics(bus, replication=1)


async def test_with_two_of_three_brokers_gone_no_topic_is_called_missing(brokers: Brokers, topic_prefix: str) -> None:
    bus = bus_of_tests(brokers.address(1), topic_prefix)
    await apply_topics(bus)
    for number in (2, 3):
        await brokers.end(number)
    # It would raise WrongTopicsError. Whether the broker that is left can tell anything depends on what it led.
    with suppress(KafkaError, TimeoutError):
        async with asyncio.timeout(OUTAGE_SECONDS):
            await check_topics(bus)
