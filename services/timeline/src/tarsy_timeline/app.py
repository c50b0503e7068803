"""The composition root."""

import asyncio
from datetime import UTC, datetime

from fastapi import APIRouter
from prometheus_client import CollectorRegistry

from tarsy_bus.connection import Bus, bus_of
from tarsy_bus.following import Follower
from tarsy_bus.publisher import Publisher
from tarsy_bus.topics_admin import check_topics, cluster_id
from tarsy_masking.masker import Masker
from tarsy_service.kafka_metrics import kafka_writes, unparsable_records
from tarsy_service.running import Readiness
from tarsy_service.service import Ready, Service
from tarsy_service.tracing import tracing_of
from tarsy_timeline.answers import Answers
from tarsy_timeline.database import Connection, Database
from tarsy_timeline.internal_routes import internal_routes
from tarsy_timeline.ledger import Ledger, LogIdentity
from tarsy_timeline.living import Living
from tarsy_timeline.metrics import Metrics
from tarsy_timeline.migrating import migrate
from tarsy_timeline.projector import Projector
from tarsy_timeline.reading import Reading
from tarsy_timeline.requesting import Requesting
from tarsy_timeline.routes import session_routes
from tarsy_timeline.server_watch import ServerWatch
from tarsy_timeline.settings import TimelineSettings
from tarsy_timeline.system_routes import system_routes


def build(settings: TimelineSettings, registry: CollectorRegistry) -> Service:
    bus = bus_of(settings, kafka_writes(registry, "timeline"), unparsable_records(registry, "timeline"))
    schema = settings.database_schema
    database = Database(settings.database.get_secret_value(), schema, settings.database_connections)
    ledger, metrics = Ledger(database), Metrics(registry)
    publisher = Publisher(bus, source="tarsy/timeline", now=lambda: datetime.now(UTC))
    answers, reading = Answers(bus), Reading(database, settings.wait_seconds)
    watch = ServerWatch(bus, Living(), wait_seconds=settings.wait_seconds, now=lambda: datetime.now(UTC))
    metrics.watch_warnings(watch.count_warnings)

    tracing = tracing_of("timeline", settings)
    masker = Masker.default(settings.masking_key_bytes)
    router = APIRouter()
    router.include_router(
        session_routes(reading, Requesting(publisher, answers, settings.wait_seconds, tracing.tracer), masker)
    )
    router.include_router(system_routes(watch))
    router.include_router(internal_routes(reading))

    async def prepare(connection: Connection) -> None:
        await migrate(connection, schema)

    async def run(ready: Ready) -> None:
        await check_topics(bus)
        async with database.running(prepare), publisher.running(), asyncio.TaskGroup() as group:
            await ledger.begin(LogIdentity(await cluster_id(bus), bus.topics.sessions), await _beginnings(bus))
            parts = Readiness(["answers", "projector"])
            group.create_task(answers.run(lambda: parts.ready("answers")), name="answers")
            group.create_task(
                _projecting(Projector(bus, ledger, metrics, tracing.tracer, lambda: datetime.now(UTC)), parts),
                name="projector",
            )
            group.create_task(watch.run(), name="servers")
            await parts.all.wait()
            ready()

    return Service(name="timeline", run=run, router=router, tracing=tracing)


async def _projecting(projector: Projector, parts: Readiness) -> None:
    await projector.run(lambda: parts.ready("projector"))


async def _beginnings(bus: Bus) -> dict[int, int]:
    """Where a projection begins that has none yet: at the first records that are kept."""
    async with Follower(bus, bus.topics.sessions).running() as follower:
        found = await follower.consumer.beginning_offsets(bus.log_places(bus.topics.sessions))
    return {place.partition: offset for place, offset in found.items()}
