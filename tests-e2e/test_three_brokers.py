"""Three brokers, each restarted and then killed in turn, under load: no session is lost, and none is doubled.

TARSY_ROUNDS is how many times over, with more load: `make rounds`.
"""

import asyncio
import shutil
from collections.abc import AsyncIterator, Collection
from pathlib import Path
from uuid import uuid4

import pytest
from aiokafka.errors import KafkaError

from tarsy_bus.client.connection import Bus
from tarsy_bus.topics.topics_admin import admin, apply_topics
from tarsy_testing.real_servers import bus_of_tests, drop_schema, eventually
from tarsy_testing.rounds import rounds
from tarsy_testing.servers.brokers import NUMBERS, Brokers, three_brokers
from tarsy_testing.story.incident import INCIDENT
from tarsy_testing.story.live_log import following
from tarsy_testing.system.chains import CONFIG, environment
from tarsy_testing.system.investigation import everything
from tarsy_testing.system.load import Load
from tarsy_testing.system.service_forks import ServiceForks
from tarsy_testing.system.system import PATIENT, System, running

pytestmark = pytest.mark.timeout(1500)

IN_SYNC_SECONDS = 240.0
DISTURBED = ("deleting", "thinking")


@pytest.fixture
async def brokers(work_folder: Path) -> AsyncIterator[Brokers]:
    folder = work_folder / f"three-{uuid4().hex[:8]}"
    async with three_brokers(folder) as brokers:
        yield brokers
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
async def bus(brokers: Brokers, topic_prefix: str) -> Bus:
    bus = bus_of_tests(brokers.bootstrap, topic_prefix)
    await apply_topics(bus)
    return bus


@pytest.fixture
async def load(
    bus: Bus, tmp_path: Path, incidents: Path, lab_calls: Path, database_url: str, database_schema: str,
    forks: ServiceForks,
) -> AsyncIterator[Load]:  # fmt: skip
    """A whole system, and who sends alerts to it."""
    await asyncio.to_thread(lab_calls.touch)
    own = PATIENT | environment(lab_calls, incidents / INCIDENT.name) | {"TARSY_TEST_DELETE_SECONDS": "2"}
    folder = tmp_path / "system"
    await asyncio.to_thread(folder.mkdir)
    system = System(bus, folder, CONFIG, database_url, database_schema, own, forks=forks)
    async with following(bus) as log:
        with running(system):
            await system.start_all()
            yield Load(system, log, lab_calls)
    await drop_schema(database_url, database_schema)


async def until_in_sync(bus: Bus, numbers: Collection[int] = NUMBERS) -> None:
    """All of these brokers have all records, and no other counts."""

    async def look() -> bool:
        try:
            async with admin(bus) as client:
                topics = await client.describe_topics()
        except KafkaError:
            return False  # the client asked the broker that is away
        partitions = [one for topic in topics for one in topic["partitions"]]
        return bool(partitions) and all(set(one["isr"]) == set(numbers) for one in partitions)

    await eventually(look, f"brokers {numbers} are in sync in every partition", seconds=IN_SYNC_SECONDS)


async def restart(bus: Bus, brokers: Brokers, number: int) -> None:
    await brokers.restart(number)


async def kill(bus: Bus, brokers: Brokers, number: int) -> None:
    await brokers.kill(number)


async def lose(bus: Bus, brokers: Brokers, number: int) -> None:
    """Killed, and its disk is gone: it comes back with nothing, once the others go on without it."""
    await brokers.lose(number)
    await until_in_sync(bus, [one for one in NUMBERS if one != number])
    await brokers.start_again(number)


@pytest.mark.parametrize("load", range(rounds()), indirect=True)
async def test_each_broker_is_restarted_and_then_killed_and_nothing_is_lost_or_doubled(
    load: Load, bus: Bus, brokers: Brokers
) -> None:
    """The last one loses its disk, too."""
    await load.begin()
    for fates in ((restart, restart, restart), (kill, kill, lose)):
        for number, fate in zip(NUMBERS, fates, strict=True):
            await until_in_sync(bus)
            await load.begin(DISTURBED)
            await fate(bus, brokers, number)
        await load.send_all_again()
    await load.begin()
    assert await load.faults() == []
    assert await everything(load.system, [bus.topics.dead_letters, bus.topics.held]) == []
