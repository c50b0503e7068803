"""Restores: the log alone, with an empty PostgreSQL; a PostgreSQL of before; and a Kafka of before, which is refused.

The commands are those of docs/operations/backup-and-restore.md.
"""

import asyncio
import re
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
from backups import copy_of_kafka, dump, fresh_database, restore

from tarsy_bus.topics.topics_admin import apply_topics
from tarsy_contracts import events as e
from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_testing.real_servers import bus_of_tests, eventually, own_kafka
from tarsy_testing.story.incident import INCIDENT
from tarsy_testing.system.chains import CONFIG, ask_for, environment, rows
from tarsy_testing.system.investigation import Investigation, shown
from tarsy_testing.system.service_forks import ServiceForks
from tarsy_testing.system.system import PATIENT, ServiceProcess, System, running
from tarsy_verification.invariants import chain_faults, run_faults
from tarsy_verification.session_log import SessionLog
from tarsy_verification.tool_runs import runs_of

SERVICES = ("timeline", "orchestrator", "tool-gateway", "ingest")
"""Without those that keep nothing and are not asked here."""
SCHEMA = "tarsy"
REFUSED = 2
"""Exit code of a service that does not fit its surroundings."""
NEVER_IN_TIME = {"TARSY_TEST_DELETE_SECONDS": "600"}
"""The call runs when everything is killed."""


@dataclass
class Scene:
    """Systems that are started one after the other. `calls`: where the lab notes the tools that it runs."""

    folder: Path
    forks: ServiceForks
    calls: Path
    incident: Path

    def system(self, kafka: EmbeddedKafka, url: str) -> System:
        """Of no process yet."""
        own = PATIENT | environment(self.calls, self.incident) | NEVER_IN_TIME
        folder = self.folder / f"system-{uuid4().hex[:6]}"
        folder.mkdir()
        return System(bus_of_tests(kafka.bootstrap, "tarsy"), folder, CONFIG, url, SCHEMA, own, forks=self.forks)

    @asynccontextmanager
    async def started(self, kafka: EmbeddedKafka, url: str) -> AsyncIterator[System]:
        system = self.system(kafka, url)
        with running(system):
            for service in SERVICES:
                system.start(service)
            for process in system.processes:
                await system.until_ready(process)
            yield system

    def faults(self, told: SessionLog) -> list[str]:
        runs = runs_of(self.calls, told.accepted[0].session_id)
        return [*chain_faults(told), *run_faults(told, runs)]

    def deletions(self, session_id: str) -> int:
        return sum(run.tool == "pods_delete" for run in runs_of(self.calls, session_id))


@pytest.fixture
def scene(tmp_path: Path, forks: ServiceForks, lab_calls: Path, incidents: Path) -> Iterator[Scene]:
    lab_calls.touch()
    yield Scene(tmp_path, forks, lab_calls, incidents / INCIDENT.name)
    shutil.rmtree(tmp_path, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Backups:
    """Kafka's are brokers on copies of its folder, not started. `tables` are a dump of before the sessions below."""

    empty: EmbeddedKafka
    newest: EmbeddedKafka
    tables: Path
    ended: str
    deleting: str
    thinking: str


async def take_backups(scene: Scene, folder: Path, url: str) -> Backups:
    """Sessions are in the middle, one of them in a destructive call, when everything is killed, and Kafka copied."""
    kafka = own_kafka(folder / "kafka")
    with kafka:
        await apply_topics(bus_of_tests(kafka.bootstrap, "tarsy"))
    empty = copy_of_kafka(kafka, folder / "empty")
    with kafka:
        async with scene.started(kafka, url) as system:
            ended = ask_for(system, "answering")
            await shown(system, ended.session_id, await ended.until_ended())
            tables = folder / "tables.sql"
            await asyncio.to_thread(dump, url, tables)
            deleting, thinking = ask_for(system, "deleting"), ask_for(system, "thinking")
            await deleting.until(e.ToolCallStarted.type)
            await eventually(lambda: runs(scene, deleting), "the tool runs")
            await shown_from(system, thinking, await thinking.until(e.ToolCallCompleted.type))
            for process in system.processes:
                process.kill()
    newest = copy_of_kafka(kafka, folder / "newest")
    shutil.rmtree(kafka.data_dir)
    return Backups(empty, newest, tables, ended.session_id, deleting.session_id, thinking.session_id)


async def runs(scene: Scene, deleting: Investigation) -> bool:
    return scene.deletions(deleting.session_id) == 1


async def shown_from(system: System, session: Investigation, log: SessionLog) -> None:
    """The tables have at least this much of it."""
    path = f"/api/v1/sessions/{session.session_id}?at_least={len(log.accepted)}"
    await asyncio.to_thread(system.get, path)


@pytest.mark.timing
async def test_the_log_is_enough_an_older_history_catches_up_and_an_older_log_is_refused(
    scene: Scene, work_folder: Path, database_url: str
) -> None:
    folder = work_folder / f"restore-{uuid4().hex[:8]}"
    with fresh_database(database_url) as lost, fresh_database(database_url) as empty:
        backups = await take_backups(scene, folder, lost)
        with backups.newest as kafka:
            ends = await check_the_log_is_enough(scene, backups, kafka, empty)
            with fresh_database(database_url) as older:
                await asyncio.to_thread(restore, older, backups.tables)
                await check_an_older_history_catches_up(scene, kafka, older, ends)
        with backups.empty as kafka:
            await check_an_older_log_is_refused(scene, kafka, empty)
    shutil.rmtree(folder, ignore_errors=True)


async def check_the_log_is_enough(
    scene: Scene, backups: Backups, kafka: EmbeddedKafka, url: str
) -> dict[str, SessionLog]:
    """Elsewhere, with nothing else: what had ended is shown, what was open goes on. Returns the logs at their ends."""
    async with scene.started(kafka, url) as system:
        ends = {}
        for session_id in (backups.ended, backups.deleting, backups.thinking):
            ends[session_id] = told = await Investigation(system, session_id).until_ended()
            assert (told.types[-1], scene.faults(told)) == ("session.completed", [])
        await check_history(system, ends)
    (outcome,) = ends[backups.deleting].events(e.ToolCallCompleted)
    assert (outcome.outcome, scene.deletions(backups.deleting)) == ("unknown", 1)
    return ends


async def check_an_older_history_catches_up(
    scene: Scene, kafka: EmbeddedKafka, url: str, ends: dict[str, SessionLog]
) -> None:
    system = scene.system(kafka, url)
    with running(system):
        await system.started("timeline")
        await check_history(system, ends)


async def check_history(system: System, ends: dict[str, SessionLog]) -> None:
    for session_id, told in ends.items():
        detail = await shown(system, session_id, told)
        stages = [one["status"] for one in rows(detail["stages"])]
        assert (detail["status"], stages) == ("completed", ["completed"] * len(told.events(e.StageStarted)))


async def check_an_older_log_is_refused(scene: Scene, kafka: EmbeddedKafka, url: str) -> None:
    system = scene.system(kafka, url)
    with running(system):
        timeline = system.start("timeline")
        assert await ends_by_itself(timeline) == REFUSED
        assert re.search(
            r"sessions partition \d+ holds offsets 0 to 0, but reading should go on at \d+: it was emptied, or it is "
            "another cluster's",
            timeline.last_lines,
        ), timeline.last_lines


async def ends_by_itself(process: ServiceProcess) -> int:
    async def look() -> bool:
        return not process.alive

    await eventually(look, f"{process.name} ends", seconds=180)
    return process.process.wait(1)
