"""Composition root of the tool gateway: the only place that picks implementations."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from uuid import uuid4

from opentelemetry.trace import Tracer
from prometheus_client import CollectorRegistry

from tarsy_bus.client.broker_connections import BrokerConnections
from tarsy_bus.client.connection import bus_of
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.liveness.pulse import Pulse
from tarsy_bus.topics import kafka_rights
from tarsy_config.loading.live_config import ConfigSource, LiveConfig
from tarsy_contracts.builtin_tools import FETCH_RUNBOOK, OWN_SERVER, READ_RESULT, RECALL, SEARCH_SESSIONS
from tarsy_contracts.timing import FRESH_PART
from tarsy_masking.masker import Masker
from tarsy_service.process.service import Service
from tarsy_service.telemetry.config_metrics import observe_config_verdicts
from tarsy_service.telemetry.kafka_metrics import kafka_writes, unparsable_records
from tarsy_service.telemetry.tracing import create_tracing
from tarsy_tool_gateway.builtin.memory.tool import TimelineMemory
from tarsy_tool_gateway.builtin.read_result.tool import read_result_tool
from tarsy_tool_gateway.builtin.runbooks.rules import RunbookRules
from tarsy_tool_gateway.builtin.runbooks.tool import LiveRunbookTool
from tarsy_tool_gateway.builtin.tool_server import BuiltinToolServer
from tarsy_tool_gateway.catalog import CatalogPublisher
from tarsy_tool_gateway.gateway_config import GatewayConfig, prepare_gateway
from tarsy_tool_gateway.masking import ServerMaskers, check_custom_patterns
from tarsy_tool_gateway.mcp.logins.renewal import LoginRenewals
from tarsy_tool_gateway.mcp.logins.stored_logins import StoredLogins
from tarsy_tool_gateway.mcp.logins.token_keys import TokenKeys
from tarsy_tool_gateway.mcp.logins.token_topic import TokenWriter
from tarsy_tool_gateway.mcp.readiness import ReadinessGate, refusals
from tarsy_tool_gateway.mcp.sdk_logs import mute_values_in_sdk_logs
from tarsy_tool_gateway.mcp.server_plan import ServerPlan
from tarsy_tool_gateway.metrics import Metrics
from tarsy_tool_gateway.results.bytes_in_flight import BytesInFlight
from tarsy_tool_gateway.results.results import ResultStore
from tarsy_tool_gateway.runner import CallRunner
from tarsy_tool_gateway.server_factory import ServerFactory
from tarsy_tool_gateway.server_fleet import ServerFleet
from tarsy_tool_gateway.service import ToolGateway, tool_worker
from tarsy_tool_gateway.settings import ToolGatewaySettings

NAME = "tool-gateway"
LOGINS = "logins"


def build(
    settings: ToolGatewaySettings, registry: CollectorRegistry, connections: BrokerConnections | None = None
) -> Service:
    """Raises InvalidConfigError."""
    source = ConfigSource(settings.config_dir, os.environ, also=(check_custom_patterns,))
    prepare = partial(
        prepare_gateway,
        Masker.default(settings.masking_key_bytes, most_findings=settings.masking_most_findings),
        os.environ,
    )
    config = LiveConfig(source, prepare, judged=observe_config_verdicts(registry, NAME))
    tracing = create_tracing(NAME, settings)
    gateway = assemble_from(settings, registry, lambda: config.current, tracing.tracer, connections)
    steps = partial(gateway.supervisor.heartbeat_for, "configuration", essential=False)
    gateway = replace(
        gateway, configuration=lambda: config.create_tasks(settings.config_poll_seconds, steps, gateway.switch)
    )
    return Service(
        name=NAME,
        run=gateway.run,
        unready_reasons=lambda: [*gateway.worker.bus.unready_reasons(), *gateway.gate.unready_reasons()],
        supervisor=gateway.supervisor,
        degraded_reasons=lambda: [*config.explain_degraded(), *gateway.degraded_reasons()],
        config_version=lambda: config.version,
        tracing=tracing,
    )


def assemble(
    settings: ToolGatewaySettings,
    registry: CollectorRegistry,
    plans: Sequence[ServerPlan],
    runbooks: RunbookRules,
    tracer: Tracer,
    masking: ServerMaskers | None = None,
) -> ToolGateway:
    """A gateway whose configuration never changes. Without `masking` nothing is added to the built-in rules."""
    masking = masking or ServerMaskers(
        Masker.default(settings.masking_key_bytes, most_findings=settings.masking_most_findings)
    )
    fixed = GatewayConfig({plan.name: plan for plan in plans}, runbooks, masking)
    return assemble_from(settings.model_copy(update={"config_poll_seconds": 0.0}), registry, lambda: fixed, tracer)


def assemble_from(
    settings: ToolGatewaySettings,
    registry: CollectorRegistry,
    config: Callable[[], GatewayConfig],
    tracer: Tracer,
    connections: BrokerConnections | None = None,
) -> ToolGateway:
    """`config`: the one that holds now."""
    bus = bus_of(
        settings,
        kafka_writes(registry, NAME),
        unparsable_records(registry, NAME, kafka_rights.TOOL_GATEWAY.reads),
        connections,
    )
    mute_values_in_sdk_logs()
    worker_id, source = str(uuid4()), f"{NAME}/{settings.client}"
    publisher = Publisher(bus, source=source, now=now)
    metrics = Metrics(registry, [*config().plans, OWN_SERVER])
    catalog = CatalogPublisher(
        publisher, worker_id=worker_id, source=source, now=now, new_id=new_id, too_large=metrics.count_shortened_catalog
    )
    stored = StoredLogins(TokenKeys(settings.token_keys))
    logins = LoginRenewals(
        stored, TokenWriter(publisher), claimant=worker_id, now=now, new_id=new_id, renewed=metrics.count_login_renewal
    )
    runbooks = LiveRunbookTool(lambda: config().runbooks)
    memory = TimelineMemory(settings.timeline_url, settings.asking_headers)
    own = BuiltinToolServer(
        {
            FETCH_RUNBOOK: runbooks.fetch,
            READ_RESULT: read_result_tool(bus),
            RECALL: memory.recall,
            SEARCH_SESSIONS: memory.search,
        }
    )
    in_flight = BytesInFlight()
    servers = ServerFleet(
        ServerFactory(settings, publisher, metrics, lambda: config().masking, now, logins, in_flight).make,
        {OWN_SERVER: own},
        catalog,
        removed=metrics.remove_gauges_of,
        patience_seconds=settings.mcp_ready_seconds if settings.config_poll_seconds else 0.0,
    )
    servers.switch(config().plans)

    def switch() -> None:
        catalog.forget()
        servers.switch(config().plans)

    def mask_of(server: str, session_id: str) -> Callable[[str], str]:
        return config().masking.of_session(server, session_id)

    worker = tool_worker(
        bus,
        publisher,
        worker_id=worker_id,
        name=settings.client,
        pulse=Pulse(settings.dead_after_seconds * FRESH_PART),
        limits=servers.limits,
        runner=CallRunner(
            servers.call,
            ResultStore(publisher, source=source, mask_of=mask_of, now=now),
            worker_id=worker_id,
            metrics=metrics,
            in_flight=in_flight,
        ),
        metrics=metrics,
        tracer=tracer,
        now=now,
        new_id=new_id,
        drain_seconds=settings.tool_gateway_drain_seconds,
    )
    gate = ReadinessGate(servers.connections.values(), seconds=settings.mcp_ready_seconds)
    return ToolGateway(
        worker=worker,
        gate=gate,
        servers=servers.running,
        logins=logins.running,
        following={LOGINS: partial(stored.follow, bus, worker.supervisor.heartbeat_for(LOGINS))},
        switch=switch,
        degraded_reasons=lambda: refusals(servers.connections.values()),
    )


def now() -> datetime:
    return datetime.now(UTC)


def new_id() -> str:
    return str(uuid4())
