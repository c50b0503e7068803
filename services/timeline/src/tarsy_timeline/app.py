"""The composition root."""

import time
from contextlib import nullcontext
from datetime import UTC, datetime
from functools import partial
from uuid import uuid4

import structlog
from fastapi import APIRouter, Depends
from prometheus_client import CollectorRegistry

from tarsy_audit.trail import AuditTrail
from tarsy_bus.acceptance import LogMismatchError
from tarsy_bus.client.broker_connections import BrokerConnections
from tarsy_bus.client.connection import Bus, bus_of
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.liveness.kafka_watch import KafkaWatch
from tarsy_bus.readers.partition_reader import PartitionReader
from tarsy_bus.topics import kafka_rights
from tarsy_bus.topics.topics_admin import await_topics, cluster_id
from tarsy_contracts.budgets import ConfiguredBudgets
from tarsy_contracts.prices import NO_PRICES
from tarsy_masking.masker import Masker
from tarsy_mcp_api.bounded_waits import BoundedWaits
from tarsy_mcp_api.endpoint import McpEndpoint, mcp_routes
from tarsy_mcp_api.metrics import McpMetrics
from tarsy_mcp_api.server import mcp_server
from tarsy_mcp_api.tools import McpTools
from tarsy_service.process.runner import Readiness
from tarsy_service.process.service import Ready, Service
from tarsy_service.supervision import Supervisor
from tarsy_service.telemetry.kafka_metrics import count_misplaced_records, kafka_writes, unparsable_records
from tarsy_service.telemetry.tracing import create_tracing
from tarsy_timeline.api.action_routes import action_routes
from tarsy_timeline.api.alias_route import alias_route
from tarsy_timeline.api.budget_report_route import budget_report_route
from tarsy_timeline.api.caller_groups import visible_route
from tarsy_timeline.api.configured_groups import ConfiguredGroups
from tarsy_timeline.api.dead_letters.letters import Letters
from tarsy_timeline.api.dead_letters.redriver import Redriver
from tarsy_timeline.api.dead_letters.routes import dead_letter_routes
from tarsy_timeline.api.internal_routes import internal_routes
from tarsy_timeline.api.me_routes import me_routes
from tarsy_timeline.api.memory_routes import memory_routes, recall_routes
from tarsy_timeline.api.operators import Operators
from tarsy_timeline.api.overview_route import overview_route
from tarsy_timeline.api.past_routes import past_routes
from tarsy_timeline.api.requests.approval_routes import approval_routes
from tarsy_timeline.api.requests.budget_routes import budget_routes
from tarsy_timeline.api.requests.chat_routes import chat_routes
from tarsy_timeline.api.requests.memory_request_routes import memory_request_routes
from tarsy_timeline.api.requests.reply_waiter import ReplyWaiter
from tarsy_timeline.api.requests.request_handler import RequestHandler
from tarsy_timeline.api.requests.request_routes import request_routes
from tarsy_timeline.api.requests.rerun_routes import rerun_routes
from tarsy_timeline.api.requests.review_routes import review_routes
from tarsy_timeline.api.requests.score_routes import score_routes
from tarsy_timeline.api.requests.session_commands import SessionCommands
from tarsy_timeline.api.results.call_results import CallResults
from tarsy_timeline.api.results.routes import result_routes
from tarsy_timeline.api.rights import RIGHTS
from tarsy_timeline.api.session_routes import session_routes
from tarsy_timeline.api.slack.click_answers import SlackAnswers
from tarsy_timeline.api.slack.reviews import SlackReviews
from tarsy_timeline.api.slack.routes import slack_routes
from tarsy_timeline.api.summary_routes import summary_routes
from tarsy_timeline.api.system_routes import create_held_routes, system_routes
from tarsy_timeline.api.trace_routes import trace_routes
from tarsy_timeline.api.usage_routes import usage_routes
from tarsy_timeline.database.deleted_labels import DeletedLabels
from tarsy_timeline.database.migrations import migrate
from tarsy_timeline.database.pool import Connection, Database
from tarsy_timeline.metrics import Metrics
from tarsy_timeline.parts import Parts, Work
from tarsy_timeline.projection.checkpoint import LogIdentity, ProjectionCheckpoint
from tarsy_timeline.projection.event_publisher import EventPublisher
from tarsy_timeline.projection.projector import Projector
from tarsy_timeline.projection.search_indexer import SearchIndexer
from tarsy_timeline.queries.memory_queries import MemoryQueries
from tarsy_timeline.queries.session_queries import SessionQueries
from tarsy_timeline.queries.usage_reads import UsageReads
from tarsy_timeline.record.session_record import SessionRecord
from tarsy_timeline.record.session_records import SessionRecords
from tarsy_timeline.settings import DEFAULT_SCHEMA, TimelineSettings
from tarsy_timeline.system.approvals_watch import ApprovalsWatch
from tarsy_timeline.system.held_watch import HeldWatch
from tarsy_timeline.system.ingest_api import IngestApi
from tarsy_timeline.system.ingest_watch import IngestWatch
from tarsy_timeline.system.server_watch import ServerWatch
from tarsy_timeline.system.unprojected import UnprojectedWatch
from tarsy_timeline.system.worker_liveness import WorkerLiveness

log = structlog.get_logger(__name__)


def build(
    settings: TimelineSettings, registry: CollectorRegistry, connections: BrokerConnections | None = None
) -> Service:
    bus = bus_of(
        settings,
        kafka_writes(registry, "timeline"),
        unparsable_records(registry, "timeline", kafka_rights.TIMELINE.reads),
        connections,
        count_misplaced_records(registry, "timeline", "held"),
    )
    schema = settings.database_schema
    database = Database(settings.database.get_secret_value(), schema, settings.database_connections)
    checkpoint, metrics, supervisor = ProjectionCheckpoint(database), Metrics(registry), Supervisor()
    publisher = Publisher(bus, source="tarsy/timeline", now=lambda: datetime.now(UTC))
    ingest = IngestApi(settings.ingest_url, settings.asking_headers, settings.wait_seconds)
    prices = IngestWatch("prices", ingest.prices, NO_PRICES)
    budgets: IngestWatch[ConfiguredBudgets | None] = IngestWatch("budgets", ingest.budgets, None)
    replies, queries = ReplyWaiter(bus), SessionQueries(database, settings.wait_seconds, lambda: prices.current)
    watch = ServerWatch(bus, WorkerLiveness(), wait_seconds=settings.wait_seconds, now=lambda: datetime.now(UTC))
    unprojected, held = UnprojectedWatch(database), HeldWatch(bus, wait_seconds=settings.wait_seconds)
    indexer, deleted_labels = SearchIndexer(database), DeletedLabels(database, lambda: datetime.now(UTC))
    warning = (watch, unprojected, held)
    metrics.watch_warnings(lambda category: sum(one.count_warnings(category) for one in warning))
    metrics.watch_unprojected(lambda: unprojected.seen.records)
    approvals = ApprovalsWatch(database, lambda: datetime.now(UTC))
    metrics.watch_approvals(lambda: approvals.seen.count, lambda: approvals.oldest_seconds)
    memories = MemoryQueries(
        database, queries, ConfiguredGroups(settings.auth_file).all_groups, lambda: datetime.now(UTC)
    )
    parts = Parts(final=(LogMismatchError,))

    tracing = create_tracing("timeline", settings)
    masker = Masker.default(settings.masking_key_bytes, most_findings=settings.masking_most_findings)
    router, route = APIRouter(), alias_route(queries.alias, visible_route(queries))
    router.include_router(session_routes(queries, route))
    router.include_router(summary_routes(queries, route))
    router.include_router(result_routes(queries, CallResults(bus), metrics, route))
    commands = SessionCommands(publisher, replies, settings.wait_seconds, tracing.tracer)
    trail = AuditTrail(publisher, masker.mask, lambda: str(uuid4()))
    recorded = [Depends(trail.require)]
    router.include_router(request_routes(commands, masker, route), dependencies=recorded)
    router.include_router(chat_routes(commands, masker, route), dependencies=recorded)
    router.include_router(approval_routes(queries, commands, masker, route), dependencies=recorded)
    router.include_router(budget_routes(commands, masker, route), dependencies=recorded)
    router.include_router(review_routes(queries, commands, masker, route), dependencies=recorded)
    by_slack = SlackReviews(RequestHandler(commands, masker), masker, trail, SlackAnswers(), settings.takes_reviews_in)
    router.include_router(slack_routes(by_slack, settings.slack_secrets, settings.slack_hooks_url, time.time))
    router.include_router(score_routes(queries, commands, masker, route), dependencies=recorded)
    router.include_router(rerun_routes(queries, publisher, masker, ingest, route), dependencies=recorded)
    router.include_router(system_routes(watch, lambda: [*unprojected.warnings(), *held.warnings()]))
    router.include_router(
        action_routes(watch, publisher, masker, lambda: datetime.now(UTC), lambda: str(uuid4())), dependencies=recorded
    )
    router.include_router(overview_route(queries, watch, metrics.lags, lambda: unprojected.seen.records))
    router.include_router(create_held_routes(held, queries))
    records = SessionRecords(bus)
    record = SessionRecord(bus, records, lambda: prices.current)
    router.include_router(trace_routes(queries, record, route))
    router.include_router(past_routes(queries, record, route))
    router.include_router(internal_routes(queries, route))
    router.include_router(usage_routes(UsageReads(database), lambda: prices.current))
    router.include_router(
        budget_report_route(lambda: budgets.current, watch.wait_for_spendings, lambda: datetime.now(UTC))
    )
    router.include_router(me_routes())
    router.include_router(memory_routes(memories, route))
    router.include_router(recall_routes(memories))
    router.include_router(memory_request_routes(memories, commands, masker, route), dependencies=recorded)
    mcp = McpEndpoint(mcp_server(McpTools(settings.ingest_url, BoundedWaits()), McpMetrics(registry)))
    router.include_router(mcp_routes(mcp))
    letters, operators = Letters(bus, partial(cluster_id, bus)), Operators(settings.raw_dead_letters, masker.mask)
    router.include_router(
        dead_letter_routes(letters, Redriver(letters, publisher, metrics), operators, masker), dependencies=recorded
    )

    events = EventPublisher(bus, metrics, lambda: datetime.now(UTC)) if settings.publish_events == "on" else None

    def projector() -> Projector:
        """Another one each time: a consumer that was stopped cannot be started again."""
        note, group = partial(parts.note, "projector"), _consumer_group(schema)
        return Projector(bus, checkpoint, metrics, tracing.read_tracer, lambda: datetime.now(UTC), note, group, events)

    async def prepare(connection: Connection) -> None:
        for name in await migrate(connection, schema):
            log.info("migration.applied", schema=schema, name=name)

    async def run(ready: Ready) -> None:
        await await_topics(bus, kafka_rights.TIMELINE)
        publishing = nullcontext() if events is None else events.running()
        async with (
            database.running(prepare),
            publisher.running(),
            records.running(),
            publishing,
            mcp.running(),
            supervisor.group() as group,
        ):
            await checkpoint.begin(
                LogIdentity(await cluster_id(bus), bus.topics.sessions), await _read_first_offsets(bus)
            )
            begun = Readiness(["answers", "projector"])
            works: dict[str, Work] = {
                "answers": lambda: replies.run(partial(begun.ready, "answers"), supervisor.heartbeat_for("answers")),
                "projector": lambda: projector().run(
                    partial(begun.ready, "projector"), supervisor.heartbeat_for("projector")
                ),
                "servers": lambda: watch.run(supervisor),
                "unprojected": lambda: unprojected.run(supervisor.heartbeat_for("unprojected")),
                "approvals": lambda: approvals.run(supervisor.heartbeat_for("approvals", essential=False)),
                "search index": lambda: indexer.run(supervisor.heartbeat_for("search index", essential=False)),
                "prices": lambda: prices.run(supervisor.heartbeat_for("prices", essential=False)),
                "budgets": lambda: budgets.run(supervisor.heartbeat_for("budgets", essential=False)),
                "deleted labels": lambda: deleted_labels.run(
                    supervisor.heartbeat_for("deleted labels", essential=False)
                ),
                "kafka": lambda: KafkaWatch(bus).run(),
                "held sessions": lambda: held.run(supervisor.heartbeat_for("held sessions")),
            }
            for name, work in works.items():
                group.start(name, parts.run(name, work))
            await begun.all.wait()
            ready()

    return Service(
        name="timeline",
        run=run,
        router=router,
        rights=RIGHTS,
        unready_reasons=lambda: [*bus.unready_reasons(), *parts.troubles()],
        degraded_reasons=watch.explain_degraded,
        supervisor=supervisor,
        tracing=tracing,
    )


def _consumer_group(schema: str) -> str:
    """Consumer group: a rebuild beside the live tables has its own. Sharing one, each would get half the partitions."""
    return "timeline" if schema == DEFAULT_SCHEMA else f"timeline.{schema}"


async def _read_first_offsets(bus: Bus) -> dict[int, int]:
    """Where a projection begins that has none yet: at the first records that are kept."""
    async with PartitionReader(bus, bus.topics.sessions).running() as follower:
        found = await follower.consumer.beginning_offsets(bus.log_partitions(bus.topics.sessions))
    return {topic_partition.partition: offset for topic_partition, offset in found.items()}
