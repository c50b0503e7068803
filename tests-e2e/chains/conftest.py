"""One system for all tests of this folder. Each leaves it as it found it: one process of each service, at rest."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tarsy_bus.topics.topics_admin import apply_topics
from tarsy_testing.real_servers import bus_of_tests, delete_topics, drop_schema
from tarsy_testing.servers.collector import Collector, collecting
from tarsy_testing.story.incident import INCIDENT
from tarsy_testing.story.live_log import LiveLog, following
from tarsy_testing.system.chains import CONFIG, WHOLE, ask_for, environment, put_in_order
from tarsy_testing.system.investigation import shown
from tarsy_testing.system.service_forks import ServiceForks
from tarsy_testing.system.system import PATIENT, System, running
from tarsy_verification.session_log import SessionLog

SPANS_SENT_EVERY_MS = "200"


@pytest.fixture(scope="package")
def lab_calls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("chains") / "lab-calls.jsonl"
    file.touch()
    return file


@pytest.fixture(scope="package")
def collector() -> Iterator[Collector]:
    with collecting() as collector:
        yield collector


@pytest.fixture(scope="package")
def shared_system(
    lab_calls: Path,
    incidents: Path,
    kafka_bootstrap: str,
    database_url: str,
    forks: ServiceForks,
    collector: Collector,
) -> Iterator[System]:
    prefix = f"t{uuid4().hex[:10]}"
    bus = bus_of_tests(kafka_bootstrap, prefix)
    asyncio.run(apply_topics(bus))
    patient = PATIENT | environment(lab_calls, incidents / INCIDENT.name)
    patient |= {"TARSY_OTLP_ENDPOINT": collector.url, "OTEL_BSP_SCHEDULE_DELAY": SPANS_SENT_EVERY_MS}
    system = System(bus, lab_calls.parent, CONFIG, database_url, prefix, patient, forks=forks)
    with running(system):
        asyncio.run(system.start_all())
        yield system
    asyncio.run(delete_topics(bus))
    asyncio.run(drop_schema(database_url, prefix))


@pytest.fixture
async def system(shared_system: System) -> AsyncIterator[System]:
    yield shared_system
    await put_in_order(shared_system)


@pytest.fixture
async def log(system: System) -> AsyncIterator[LiveLog]:
    async with following(system.bus) as log:
        yield log


@pytest.fixture(scope="package")
def seen_before() -> dict[str, SessionLog]:
    return {}


@pytest.fixture
async def told(system: System, log: LiveLog, seen_before: dict[str, SessionLog]) -> SessionLog:
    """The investigation of the whole chain in which nothing happens to anybody. It is played once.

    All of it is projected: what the timeline took for a session that runs would be cancelled after the first test, and
    the refusal would be one more event of it.
    """
    return await play_once(WHOLE, system, log, seen_before)


@pytest.fixture
async def wide(system: System, log: LiveLog, seen_before: dict[str, SessionLog]) -> SessionLog:
    """One agent has sent ten others."""
    return await play_once("wide", system, log, seen_before)


async def play_once(chain: str, system: System, log: LiveLog, seen_before: dict[str, SessionLog]) -> SessionLog:
    if chain not in seen_before:
        session_id = ask_for(system, chain).session_id
        ended = await log.until_ended(session_id)
        await shown(system, session_id, ended)
        seen_before[chain] = ended
    return seen_before[chain]
