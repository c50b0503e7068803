"""The composition root: the only place that picks implementations."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from uuid import uuid4

from opentelemetry.trace import Tracer
from prometheus_client import CollectorRegistry

from tarsy_bus.connection import bus_of
from tarsy_bus.publisher import Publisher
from tarsy_bus.pulse import Pulse
from tarsy_bus.reports import Reports
from tarsy_config.load import load_config
from tarsy_contracts.own_tools import FETCH_RUNBOOK, OWN_SERVER, READ_RESULT
from tarsy_contracts.timing import FRESH_PART
from tarsy_masking.masker import Masker
from tarsy_service.kafka_metrics import kafka_writes, unparsable_records
from tarsy_service.service import Service
from tarsy_service.tracing import tracing_of
from tarsy_tool_gateway.calling import McpTools
from tarsy_tool_gateway.catalog import Catalog
from tarsy_tool_gateway.connection import Connection
from tarsy_tool_gateway.isolated import Bounds, IsolatedServer
from tarsy_tool_gateway.masking import Masking, custom_patterns_fit, masking_of
from tarsy_tool_gateway.metrics import Metrics
from tarsy_tool_gateway.own_server import OwnServer
from tarsy_tool_gateway.plan import CATALOG_SESSION, ServerPlan, for_session, plan_of
from tarsy_tool_gateway.progress import Progress
from tarsy_tool_gateway.readiness import Gate
from tarsy_tool_gateway.reading.tool import reading_tool
from tarsy_tool_gateway.results import Results
from tarsy_tool_gateway.runbooks.rules import RunbookRules, rules_of
from tarsy_tool_gateway.runbooks.tool import runbook_tool
from tarsy_tool_gateway.runner import Runner
from tarsy_tool_gateway.running import ToolGateway
from tarsy_tool_gateway.sdk_logs import mute_values_in_sdk_logs
from tarsy_tool_gateway.servers import ToolServer, call_tool
from tarsy_tool_gateway.settings import ToolGatewaySettings

NAME = "tool-gateway"


def build(settings: ToolGatewaySettings, registry: CollectorRegistry) -> Service:
    """Raises ConfigInvalid."""
    config = load_config(settings.config_dir, os.environ, also=(custom_patterns_fit,))
    plans = [plan_of(name, server) for name, server in config.mcp_servers.items()]
    tracing = tracing_of(NAME, settings)
    masked = {name: server.data_masking for name, server in config.mcp_servers.items()}
    masking = masking_of(Masker.default(settings.masking_key_bytes), masked)
    runbooks = rules_of(config.system, os.environ)
    gateway = assemble(settings, registry, plans, runbooks, tracing.tracer, masking)
    return Service(
        name=NAME,
        run=gateway.run,
        unready_reasons=gateway.gate.unready_reasons,
        supervisor=gateway.supervisor,
        tracing=tracing,
    )


def assemble(
    settings: ToolGatewaySettings,
    registry: CollectorRegistry,
    plans: Sequence[ServerPlan],
    runbooks: RunbookRules,
    tracer: Tracer,
    masking: Masking | None = None,
) -> ToolGateway:
    """Without `masking` nothing is added to the built-in rules."""
    bus = bus_of(settings, kafka_writes(registry, NAME), unparsable_records(registry, NAME))
    mute_values_in_sdk_logs()
    masking = masking or Masking(Masker.default(settings.masking_key_bytes))
    worker_id, source = str(uuid4()), f"{NAME}/{settings.client}"
    publisher = Publisher(bus, source=source, now=now)
    metrics = Metrics(registry, [*(plan.name for plan in plans), OWN_SERVER])
    connections = {
        plan.name: Connection(
            for_session(plan, CATALOG_SESSION),
            mask=masking.of(plan.name).mask,
            connect_seconds=settings.mcp_connect_seconds,
            connected=partial(metrics.connected, plan.name),
            ended=partial(metrics.session_ended, plan.name),
            unchecked=partial(metrics.unchecked, plan.name),
            now=now,
        )
        for plan in plans
    }
    for server, connection in connections.items():
        metrics.watch(server, connection)

    def tools(connection: Connection) -> McpTools:
        server = connection.plan.name
        progress = Progress(publisher, mask_of=partial(masking.of_session, server), now=now, metrics=metrics)
        retried = partial(metrics.retried, server)
        return McpTools(connection, settings.mcp_ready_seconds, progress=progress.of, retried=retried)

    bounds = Bounds(settings.mcp_sessions, settings.mcp_session_idle_seconds, settings.mcp_ready_seconds)

    def connect(plan: ServerPlan) -> Connection:
        return Connection(
            plan,
            mask=masking.of(plan.name).mask,
            connect_seconds=settings.mcp_connect_seconds,
            unchecked=partial(metrics.unchecked, plan.name),
            now=now,
        )

    isolated = {
        plan.name: IsolatedServer(plan, bounds, connect=connect, tools=tools)
        for plan in plans
        if plan.isolation == "session"
    }
    mcp = {name: tools(each) for name, each in connections.items() if name not in isolated}
    own = OwnServer({FETCH_RUNBOOK: runbook_tool(runbooks), READ_RESULT: reading_tool(bus)})
    servers: dict[str, ToolServer] = {**mcp, **isolated, OWN_SERVER: own}
    return ToolGateway(
        bus=bus,
        publisher=publisher,
        worker_id=worker_id,
        name=settings.client,
        pulse=Pulse(settings.dead_after_seconds * FRESH_PART),
        servers=servers,
        connections=list(connections.values()),
        isolated=list(isolated.values()),
        gate=Gate(list(connections.values()), seconds=settings.mcp_ready_seconds),
        catalog=Catalog(
            publisher,
            worker_id=worker_id,
            source=source,
            now=now,
            new_id=new_id,
            too_large=metrics.catalog_shortened,
        ),
        runner=Runner(
            partial(call_tool, servers),
            Results(publisher, source=source, mask_of=masking.of_session, now=now),
            worker_id=worker_id,
            metrics=metrics,
        ),
        reports=Reports(publisher),
        metrics=metrics,
        tracer=tracer,
        now=now,
        new_id=new_id,
        drain_seconds=settings.tool_gateway_drain_seconds,
    )


def now() -> datetime:
    return datetime.now(UTC)


def new_id() -> str:
    return str(uuid4())
