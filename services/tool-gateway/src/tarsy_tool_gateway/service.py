"""Service of the tool gateway: a worker that keeps MCP servers connected, and is ready when none is misconfigured."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from opentelemetry.trace import Tracer

from tarsy_bus.connection import Bus
from tarsy_bus.kafka_rights import TOOL_GATEWAY
from tarsy_bus.publisher import Publisher
from tarsy_bus.pulse import Pulse
from tarsy_contracts.requests import ToolCallRequest
from tarsy_contracts.workers import WorkerAnnounced
from tarsy_service.service import Ready
from tarsy_service.supervision import Supervisor
from tarsy_tool_gateway.catalog import CatalogPublisher
from tarsy_tool_gateway.mcp.connection import McpConnection
from tarsy_tool_gateway.mcp.per_session_pool import PerSessionPool
from tarsy_tool_gateway.mcp.readiness import ReadinessGate
from tarsy_tool_gateway.mcp_lifespan import connected
from tarsy_tool_gateway.metrics import Metrics
from tarsy_tool_gateway.runner import CallRunner
from tarsy_tool_gateway.tool_servers import ToolServer
from tarsy_worker.claim_types import Claims
from tarsy_worker.service import WorkerService, WorkQueue


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolGateway:
    worker: WorkerService[ToolCallRequest, ToolCallRequest]
    connections: Sequence[McpConnection]
    isolated: Sequence[PerSessionPool]
    gate: ReadinessGate
    catalog: CatalogPublisher

    @property
    def supervisor(self) -> Supervisor:
        return self.worker.supervisor

    async def run(self, ready: Ready) -> None:
        """Until it is cancelled. MCP servers stay connected until the last call has ended."""
        await self.worker.run(
            ready,
            resources=lambda: connected(self.connections, self.isolated, self.catalog, self.supervisor),
            finite={"gate": self.gate.watch},
        )


def tool_worker(
    bus: Bus,
    publisher: Publisher,
    *,
    worker_id: str,
    name: str,
    pulse: Pulse,
    servers: Mapping[str, ToolServer],
    runner: CallRunner,
    metrics: Metrics,
    tracer: Tracer,
    now: Callable[[], datetime],
    new_id: Callable[[], str],
    drain_seconds: float,
) -> WorkerService[ToolCallRequest, ToolCallRequest]:
    return WorkerService(
        bus=bus,
        publisher=publisher,
        announcement=WorkerAnnounced(worker_id=worker_id, service="tool-gateway", name=name),
        pulse=pulse,
        queue=WorkQueue(
            topic=bus.topics.tool_calls,
            group=f"{bus.topics.prefix}.tool-gateway",
            kind=ToolCallRequest,
            to_claim=lambda request: request,
        ),
        kafka_user=TOOL_GATEWAY,
        claims=Claims(limits={name: server.limits for name, server in servers.items()}),
        runner=runner,
        metrics=metrics,
        tracer=tracer,
        now=now,
        new_id=new_id,
        drain_seconds=drain_seconds,
    )
