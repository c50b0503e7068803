"""The projector waits out Kafka as it waits out PostgreSQL: also both of them, one after the other."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from opentelemetry.trace import NoOpTracer
from prometheus_client import CollectorRegistry
from structlog.testing import capture_logs

from tarsy_bus.topics.topics_admin import apply_topics
from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_service.supervision import Supervisor
from tarsy_testing.real_servers import bus_of_tests, eventually, own_kafka
from tarsy_testing.servers.door import Door, door
from tarsy_timeline.database.migrations import migrate
from tarsy_timeline.database.pool import Database
from tarsy_timeline.metrics import Metrics
from tarsy_timeline.projection.checkpoint import LogIdentity, ProjectionCheckpoint
from tarsy_timeline.projection.projector import Projector

WAIT_SECONDS = 90.0


@asynccontextmanager
async def database_behind(url: str, schema: str) -> AsyncIterator[tuple[Database, Door]]:
    """PostgreSQL behind a door that can be shut."""
    parts = urlsplit(url)
    async with door(parts.port or 5432) as one:
        through = parts._replace(netloc=parts.netloc.rpartition(":")[0] + f":{one.port}").geturl()
        async with Database(through, schema, 5).running(lambda connection: migrate(connection, schema)) as database:
            yield database, one


async def logged(lines: list[Any], event: str) -> None:
    async def look() -> bool:
        return any(line["event"] == event for line in lines)

    await eventually(look, f"the projector says {event}", seconds=WAIT_SECONDS)


async def come_back(kafka: EmbeddedKafka) -> None:
    for seconds in kafka.start_again():
        await asyncio.sleep(seconds)


async def test_it_goes_on_when_kafka_goes_while_postgresql_is_away(
    tmp_path: Path,
    database_url: str,
    database_schema: str,
    new_session: Callable[[], Any],
    story: Callable[[Any], Any],
    append: Callable[..., Awaitable[int]],
) -> None:
    """Once the stop of a Kafka client replaced the real exception by CancelledError: the projector was gone."""
    with own_kafka(tmp_path / "kafka") as kafka:
        bus = bus_of_tests(kafka.bootstrap, "t")
        await apply_topics(bus)
        before, after = story(new_session()), story(new_session())
        async with database_behind(database_url, database_schema) as (database, way), Supervisor().group() as group:
            checkpoint, ready = ProjectionCheckpoint(database), asyncio.Event()
            await checkpoint.begin(LogIdentity("cluster", bus.topics.sessions), dict.fromkeys(range(12), 0))
            metrics = Metrics(CollectorRegistry())
            projector = Projector(bus, checkpoint, metrics, NoOpTracer(), lambda: datetime.now(UTC))
            with capture_logs() as lines:
                task = group.start("projector", projector.run(ready.set))
                await asyncio.wait_for(ready.wait(), WAIT_SECONDS)
                way.shut()
                await append(bus, 3, before.records)
                await logged(lines, "projector.database_unusable")
                os.kill(kafka.pid, signal.SIGKILL)
                await logged(lines, "projector.kafka_unreachable")
                await way.open()
                await come_back(kafka)
                await append(bus, 4, after.records)
                for session in (before, after):
                    await _projected(database, session, task)
            task.cancel()


async def _projected(database: Database, session: Any, task: "asyncio.Task[None]") -> None:
    async def look() -> bool:
        if task.done():
            pytest.fail(f"the projector is gone: {'cancelled' if task.cancelled() else task.exception()!r}")
        async with database.connection() as connection:
            number = await connection.fetchval("select last_number from sessions where session_id = $1", session.id)
        return bool(number == len(session.records))

    await eventually(look, f"session {session.id} is projected", seconds=WAIT_SECONDS)
