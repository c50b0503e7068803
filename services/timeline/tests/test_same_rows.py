"""The same log leads to the same rows, whatever becomes of projectors and PostgreSQL meanwhile."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import pytest
from opentelemetry.trace import NoOpTracer
from prometheus_client import CollectorRegistry

from tarsy_bus.client.connection import Bus
from tarsy_contracts import events as e
from tarsy_contracts.memory import Memory
from tarsy_contracts.scores import SCORING, Score
from tarsy_testing.real_servers import drop_schema, eventually
from tarsy_testing.servers.door import Door, door
from tarsy_testing.story.whole_chain import whole_chain
from tarsy_timeline.database.migrations import migrate
from tarsy_timeline.database.pool import Database
from tarsy_timeline.database.single_connection import connected
from tarsy_timeline.metrics import Metrics
from tarsy_timeline.projection.checkpoint import LogIdentity, ProjectionCheckpoint
from tarsy_timeline.projection.projector import Projector
from tarsy_timeline.projection.search_indexer import SearchIndexer
from tarsy_timeline.rebuild.checksums import table_checksums
from tarsy_timeline.rebuild.replay import ReplayShare, replay

type NewSession = Callable[[], Any]
type Append = Callable[..., Awaitable[int]]

SESSIONS, PARTITIONS = 24, 3
DISTURBANCES = 25
DELETED = e.SessionDeleted(request_id="r", author="ann")


def projector_of(bus: Bus, database: Database) -> Projector:
    metrics = Metrics(CollectorRegistry())
    return Projector(bus, ProjectionCheckpoint(database), metrics, NoOpTracer(), lambda: datetime.now(UTC))


async def write(bus: Bus, append: Append, new_session: NewSession, draw: random.Random) -> list[Any]:
    """Whole investigations, some of which were deleted and some of which came again; and what zombies write."""
    sessions = []
    for number in range(SESSIONS):
        session = new_session()
        session.add(*whole_chain(session.id), *judged_and_reviewed(session.id, number), *taught(number))
        if number % 3:
            session.add(DELETED)
        if number % 3 == 2:
            session.add(*whole_chain(session.id))
        begin = 0
        while begin < len(session.records):
            end = begin + draw.randint(1, 40)
            await append(bus, number % PARTITIONS, session.records[begin:end])
            if draw.random() < 0.3:  # somebody was paused, and writes it once more
                await append(bus, number % PARTITIONS, session.records[begin : begin + 3])
            begin = end
        sessions.append(session)
    return sessions


def judged_and_reviewed(session_id: str, number: int) -> list[e.Event]:
    """A score, or why there is none; and a review that was claimed, of which most were completed."""
    phase = e.PhaseRequested(phase=SCORING, phase_id=f"{session_id}/1", number=1)
    ended = e.PhaseCompleted(phase=SCORING, phase_id=phase.phase_id, stage_id="s", status="failed", error="no model")
    score = Score(score=number, prompt_digest="d").model_dump(mode="json")
    claimed = e.ReviewChanged(
        request_id="claim", number=1, author="ann", action="claim", from_status="needs_review",
        to_status="in_progress", assignee="ann",
    )  # fmt: skip
    rated = {"request_id": "rate", "number": 2, "action": "complete", "from_status": "in_progress"}
    rated |= {"to_status": "reviewed", "rating": "wrong", "cause": f"The disk of shard {number} is full."}
    return [
        phase,
        ended.model_copy(update={"status": "completed", "error": "", "result": score}) if number % 2 else ended,
        claimed,
        *([claimed.model_copy(update=rated)] if number % 3 else []),
    ]


def taught(number: int) -> list[e.Event]:
    """A memory, a judgement of another one that may come later, and what people made of the first."""
    known = Memory(text=f"The zookeeper of shard {number} lies.")
    changed = known.model_copy(update={"text": "It tells the truth.", "locked": True})
    judged = {"memory_id": f"m{(number * 7) % SESSIONS}", "learned_in": "another", "phase_id": "p"}
    asked = {"memory_id": f"m{number}", "request_id": "r", "author": "ann"}
    return [
        e.MemoryLearned(memory_id=f"m{number}", phase_id="p", memory=known),
        e.MemoryReinforced(**judged) if number % 2 else e.MemoryDeprecated(**judged),
        *([e.MemoryEdited(**asked, memory=changed)] if number % 4 else []),
        *([e.MemoryErased(**asked)] if number % 5 == 0 else []),
    ]


async def disturb(bus: Bus, database: Database, way: Door, draw: random.Random, done: asyncio.Event) -> int:
    """Projectors that are killed in whatever they do, and a PostgreSQL that goes away under them."""
    disturbed = 0
    while disturbed < DISTURBANCES or not done.is_set():
        task = asyncio.create_task(projector_of(bus, database).run(lambda: None))
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(task), draw.uniform(0.02, 0.8))
        if draw.random() < 0.4:
            way.shut()
            with suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(task), draw.uniform(0.02, 0.4))
            await way.open()
        task.cancel()
        await asyncio.wait([task])
        disturbed += 1
    return disturbed


async def end_of_log(bus: Bus, database: Database, sessions: list[Any]) -> None:
    async with asyncio.TaskGroup() as group:
        task = group.create_task(projector_of(bus, database).run(lambda: None))

        async def look() -> bool:
            async with database.connection() as connection:
                rows = await connection.fetch("select session_id, last_number from sessions")
            return {row["session_id"]: row["last_number"] for row in rows} == {
                session.id: len(session.records) for session in sessions
            }

        await eventually(look, "the whole log is projected")
        task.cancel()


async def index_words(database: Database) -> None:
    while await SearchIndexer(database).index_some():
        pass


@pytest.mark.parametrize("seed", [1, 2])
async def test_rows_are_those_of_one_undisturbed_replay(
    log_bus: Bus, database_url: str, database_schema: str, append: Append, new_session: NewSession, seed: int
) -> None:
    draw = random.Random(seed)
    parts, fresh = urlsplit(database_url), f"{database_schema}_fresh"
    async with door(parts.port or 5432) as way:
        through = parts._replace(netloc=parts.netloc.rpartition(":")[0] + f":{way.port}").geturl()
        async with Database(through, database_schema, 5).running(lambda one: migrate(one, database_schema)) as live:
            await ProjectionCheckpoint(live).begin(LogIdentity("cluster", "topic"), dict.fromkeys(range(12), 0))
            done = asyncio.Event()
            async with asyncio.TaskGroup() as group:
                disturbing = group.create_task(disturb(log_bus, live, way, draw, done))
                sessions = await write(log_bus, append, new_session, draw)
                done.set()
            assert disturbing.result() >= DISTURBANCES
            await end_of_log(log_bus, live, sessions)
            await index_words(live)
            ends = dict(await positions(live))
    async with Database(database_url, fresh, 2).running(lambda one: migrate(one, fresh)) as replayed:
        await ProjectionCheckpoint(replayed).begin(LogIdentity("cluster", "topic"), dict.fromkeys(range(12), 0))
        await replay(log_bus, replayed, ReplayShare(ends), lambda _: None)
        await index_words(replayed)
    try:
        async with connected(database_url) as connection:
            found = await table_checksums(connection, database_schema)
            assert await table_checksums(connection, fresh) == found
            assert found["sessions"][0] == SESSIONS
            assert found["search_texts"][0] > SESSIONS
            assert all(found[table][0] > 0 for table in ("scores", "reviews", "memories", "memory_judgements"))
    finally:
        await drop_schema(database_url, fresh)


async def positions(database: Database) -> list[tuple[int, int]]:
    async with database.connection() as connection:
        rows = await connection.fetch("select partition, next_offset from positions")
    return [(row["partition"], row["next_offset"]) for row in rows]
