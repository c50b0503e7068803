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
from tarsy_bus.reports import Reports
from tarsy_config.load import load_config
from tarsy_contracts.own_tools import FETCH_RUNBOOK, OWN_SERVER
from tarsy_masking.masker import Masker
from tarsy_service.kafka_metrics import kafka_writes
from tarsy_service.service import Service
from tarsy_service.tracing import tracing_of
from tarsy_tool_gateway.calling import McpTools
from tarsy_tool_gateway.catalog import Catalog
from tarsy_tool_gateway.connection import Connection
from tarsy_tool_gateway.metrics import Metrics
from tarsy_tool_gateway.own_server import OwnServer
from tarsy_tool_gateway.plan import ServerPlan, plan_of
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
    config = load_config(settings.config_dir, os.environ)
    plans = [plan_of(name, server) for name, server in config.mcp_servers.items()]
    tracing = tracing_of(NAME, settings)
    return Service(
        name=NAME,
        run=assemble(settings, registry, plans, rules_of(config.system, os.environ), tracing.tracer).run,
        tracing=tracing,
    )


def assemble(
    settings: ToolGatewaySettings,
    registry: CollectorRegistry,
    plans: Sequence[ServerPlan],
    runbooks: RunbookRules,
    tracer: Tracer,
) -> ToolGateway:
    bus = bus_of(settings, kafka_writes(registry, NAME))
    mute_values_in_sdk_logs()
    mask = Masker.default().mask
    worker_id, source = str(uuid4()), f"{NAME}/{settings.client}"
    publisher = Publisher(bus, source=source, now=now)
    metrics = Metrics(registry, [*(plan.name for plan in plans), OWN_SERVER])
    connections = {
        plan.name: Connection(
            plan,
            mask=mask,
            connect_seconds=settings.mcp_connect_seconds,
            connected=partial(metrics.connected, plan.name),
        )
        for plan in plans
    }
    for server, connection in connections.items():
        metrics.watch(server, connection)
    mcp = {name: McpTools(each, settings.mcp_ready_seconds) for name, each in connections.items()}
    servers: dict[str, ToolServer] = {**mcp, OWN_SERVER: OwnServer({FETCH_RUNBOOK: runbook_tool(runbooks)})}
    return ToolGateway(
        bus=bus,
        publisher=publisher,
        worker_id=worker_id,
        servers=servers,
        connections=list(connections.values()),
        catalog=Catalog(publisher, worker_id=worker_id, source=source, mask=mask, now=now, new_id=new_id),
        runner=Runner(
            partial(call_tool, servers),
            Results(publisher, source=source, mask=mask, now=now),
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
