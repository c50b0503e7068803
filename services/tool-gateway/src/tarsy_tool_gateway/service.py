"""The gateway's life: in which order its parts begin, and end."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from opentelemetry.trace import Tracer

from tarsy_bus.connection import Bus
from tarsy_bus.controls import follow_control
from tarsy_bus.liveness import announce
from tarsy_bus.publisher import Publisher
from tarsy_bus.pulse import Pulse
from tarsy_bus.queues import take_requests
from tarsy_bus.reports import Reports
from tarsy_bus.topics_admin import check_topics
from tarsy_contracts.requests import ToolCallRequest
from tarsy_contracts.workers import WorkerAnnounced
from tarsy_service.service import Ready
from tarsy_service.supervision import Supervisor
from tarsy_tool_gateway.calls import Claims
from tarsy_tool_gateway.catalog import Catalog
from tarsy_tool_gateway.gateway import Gateway
from tarsy_tool_gateway.mcp.connection import Connection
from tarsy_tool_gateway.mcp.per_session_pool import IsolatedServer
from tarsy_tool_gateway.mcp.readiness import Gate
from tarsy_tool_gateway.mcp_lifespan import connected
from tarsy_tool_gateway.metrics import Metrics
from tarsy_tool_gateway.runner import Runner
from tarsy_tool_gateway.tool_servers import ToolServer


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolGateway:
    bus: Bus
    publisher: Publisher
    worker_id: str
    name: str
    pulse: Pulse
    servers: Mapping[str, ToolServer]
    connections: Sequence[Connection]
    isolated: Sequence[IsolatedServer]
    gate: Gate
    catalog: Catalog
    runner: Runner
    reports: Reports
    metrics: Metrics
    tracer: Tracer
    now: Callable[[], datetime]
    new_id: Callable[[], str]
    drain_seconds: float
    supervisor: Supervisor = field(default_factory=Supervisor)

    async def run(self, ready: Ready) -> None:
        """Until it is cancelled: then no more requests, the calls, the MCP sessions, and a good-bye, in this order."""
        await check_topics(self.bus)
        life = WorkerAnnounced(worker_id=self.worker_id, service="tool-gateway", name=self.name)
        async with (
            self.publisher.running(),
            self.supervisor.background({"announcements": self._announce(life)}),
            connected(self.connections, self.isolated, self.catalog, self.supervisor),
            asyncio.TaskGroup() as tasks,
        ):
            gateway = self._gateway(tasks)
            try:
                await self._serve(gateway, ready)
            finally:
                await gateway.drain(self.drain_seconds)

    async def _serve(self, gateway: Gateway, ready: Ready) -> None:
        listening = asyncio.Event()
        async with self.supervisor.group() as group:
            group.start("clock of claims", gateway.tick())
            steps = self.supervisor.steps("control")
            group.start("control", follow_control(self.bus, gateway.hear, listening.set, steps))
            group.start_finite("gate", self.gate.watch())
            # A grant that nobody heard would be lost: no claim before we listen.
            await listening.wait()
            ready()
            requests = take_requests(
                self.bus,
                self.publisher,
                topic=self.bus.topics.tool_calls,
                group=f"{self.bus.topics.prefix}.tool-gateway",
                kind=ToolCallRequest,
                hand_over=gateway.take,
                stepped=self.supervisor.steps("requests"),
            )
            await self.supervisor.run("requests", requests)

    def _announce(self, life: WorkerAnnounced) -> Coroutine[object, object, None]:
        return announce(self.publisher, life, self.pulse, self.supervisor.steps("announcements"))

    def _gateway(self, tasks: asyncio.TaskGroup) -> Gateway:
        return Gateway(
            Claims(limits={name: server.limits for name, server in self.servers.items()}),
            worker_id=self.worker_id,
            pulse=self.pulse,
            runner=self.runner,
            reports=self.reports,
            metrics=self.metrics,
            tracer=self.tracer,
            now=self.now,
            new_id=self.new_id,
            tasks=tasks,
        )
