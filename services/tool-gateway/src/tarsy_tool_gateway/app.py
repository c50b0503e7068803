"""Composition root of the tool gateway: the only place that picks implementations."""

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
from tarsy_config.load import load_config
from tarsy_contracts.builtin_tools import FETCH_RUNBOOK, OWN_SERVER, READ_RESULT
from tarsy_contracts.timing import FRESH_PART
from tarsy_masking.masker import Masker
from tarsy_service.kafka_metrics import kafka_writes, unparsable_records
from tarsy_service.service import Service
from tarsy_service.tracing import tracing_of
from tarsy_tool_gateway.builtin.read_result.tool import read_result_tool
from tarsy_tool_gateway.builtin.runbooks.rules import RunbookRules, rules_of
from tarsy_tool_gateway.builtin.runbooks.tool import fetch_runbook_tool
from tarsy_tool_gateway.builtin.tool_server import BuiltinToolServer
from tarsy_tool_gateway.catalog import CatalogPublisher
from tarsy_tool_gateway.masking import ServerMaskers, check_custom_patterns, server_maskers
from tarsy_tool_gateway.mcp.connection import McpConnection
from tarsy_tool_gateway.mcp.per_session_pool import PerSessionPool, PoolLimits
from tarsy_tool_gateway.mcp.progress import ProgressPublisher
from tarsy_tool_gateway.mcp.readiness import ReadinessGate
from tarsy_tool_gateway.mcp.sdk_logs import mute_values_in_sdk_logs
from tarsy_tool_gateway.mcp.server_plan import CATALOG_SESSION, ServerPlan, for_session, plan_of
from tarsy_tool_gateway.mcp.tool_server import McpToolServer
from tarsy_tool_gateway.metrics import Metrics
from tarsy_tool_gateway.results.results import ResultStore
from tarsy_tool_gateway.runner import CallRunner
from tarsy_tool_gateway.service import ToolGateway, tool_worker
from tarsy_tool_gateway.settings import ToolGatewaySettings
from tarsy_tool_gateway.tool_servers import ToolServer, call_tool

NAME = "tool-gateway"


def build(settings: ToolGatewaySettings, registry: CollectorRegistry) -> Service:
    """Raises InvalidConfigError."""
    config = load_config(settings.config_dir, os.environ, also=(check_custom_patterns,))
    plans = [plan_of(name, server) for name, server in config.mcp_servers.items()]
    tracing = tracing_of(NAME, settings)
    masked = {name: server.data_masking for name, server in config.mcp_servers.items()}
    masking = server_maskers(Masker.default(settings.masking_key_bytes), masked)
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
    masking: ServerMaskers | None = None,
) -> ToolGateway:
    """Without `masking` nothing is added to the built-in rules."""
    bus = bus_of(settings, kafka_writes(registry, NAME), unparsable_records(registry, NAME))
    mute_values_in_sdk_logs()
    masking = masking or ServerMaskers(Masker.default(settings.masking_key_bytes))
    worker_id, source = str(uuid4()), f"{NAME}/{settings.client}"
    publisher = Publisher(bus, source=source, now=now)
    metrics = Metrics(registry, [*(plan.name for plan in plans), OWN_SERVER])
    connections = {
        plan.name: McpConnection(
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

    def tools(connection: McpConnection) -> McpToolServer:
        server = connection.plan.name
        progress = ProgressPublisher(publisher, mask_of=partial(masking.of_session, server), now=now, metrics=metrics)
        retried = partial(metrics.retried, server)
        return McpToolServer(connection, settings.mcp_ready_seconds, progress=progress.of, retried=retried)

    bounds = PoolLimits(settings.mcp_sessions, settings.mcp_session_idle_seconds, settings.mcp_ready_seconds)

    def connect(plan: ServerPlan) -> McpConnection:
        return McpConnection(
            plan,
            mask=masking.of(plan.name).mask,
            connect_seconds=settings.mcp_connect_seconds,
            unchecked=partial(metrics.unchecked, plan.name),
            now=now,
        )

    isolated = {
        plan.name: PerSessionPool(plan, bounds, connect=connect, tools=tools)
        for plan in plans
        if plan.isolation == "session"
    }
    mcp = {name: tools(each) for name, each in connections.items() if name not in isolated}
    own = BuiltinToolServer({FETCH_RUNBOOK: fetch_runbook_tool(runbooks), READ_RESULT: read_result_tool(bus)})
    servers: dict[str, ToolServer] = {**mcp, **isolated, OWN_SERVER: own}
    worker = tool_worker(
        bus,
        publisher,
        worker_id=worker_id,
        name=settings.client,
        pulse=Pulse(settings.dead_after_seconds * FRESH_PART),
        servers=servers,
        runner=CallRunner(
            partial(call_tool, servers),
            ResultStore(publisher, source=source, mask_of=masking.of_session, now=now),
            worker_id=worker_id,
            metrics=metrics,
        ),
        metrics=metrics,
        tracer=tracer,
        now=now,
        new_id=new_id,
        drain_seconds=settings.tool_gateway_drain_seconds,
    )
    return ToolGateway(
        worker=worker,
        connections=list(connections.values()),
        isolated=list(isolated.values()),
        gate=ReadinessGate(list(connections.values()), seconds=settings.mcp_ready_seconds),
        catalog=CatalogPublisher(
            publisher,
            worker_id=worker_id,
            source=source,
            now=now,
            new_id=new_id,
            too_large=metrics.catalog_shortened,
        ),
    )


def now() -> datetime:
    return datetime.now(UTC)


def new_id() -> str:
    return str(uuid4())
