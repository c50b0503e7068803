"""Service of the tool gateway: a worker that keeps MCP servers connected, and is ready when none is misconfigured."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime

from opentelemetry.trace import Tracer

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.liveness.pulse import Pulse
from tarsy_bus.topics.kafka_rights import TOOL_GATEWAY
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_contracts.messages.workers import WorkerAnnounced
from tarsy_service.process.service import Ready
from tarsy_service.supervision import Supervisor, Work
from tarsy_tool_gateway.mcp.readiness import ReadinessGate
from tarsy_tool_gateway.metrics import Metrics
from tarsy_tool_gateway.runner import CallRunner
from tarsy_worker.claim_types import Claims, ServerLimits
from tarsy_worker.service import WorkerService, WorkQueue


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolGateway:
    """`servers` keeps the MCP servers running; `switch` lets the configuration of now hold for them.

    `logins` renews those at MCP servers, and `following` reads them. `configuration`: long-lived tasks that follow it.
    `degraded_reasons`: servers whose lists of tools are refused.
    """

    worker: WorkerService[ToolCallRequest, ToolCallRequest]
    gate: ReadinessGate
    servers: Callable[[Supervisor], AbstractAsyncContextManager[None]]
    logins: Callable[[Supervisor], AbstractAsyncContextManager[None]] = lambda _: nullcontext()
    following: Mapping[str, Callable[[], Work]] = field(default_factory=dict)
    switch: Callable[[], None] = lambda: None
    configuration: Callable[[], Mapping[str, Work]] = dict
    degraded_reasons: Callable[[], Sequence[str]] = tuple

    @property
    def supervisor(self) -> Supervisor:
        return self.worker.supervisor

    async def run(self, ready: Ready) -> None:
        """Until it is cancelled. MCP servers stay connected until the last call has ended."""
        await self.worker.run(
            ready,
            resources=self._open_resources,
            finite={"gate": self.gate.watch},
        )

    @asynccontextmanager
    async def _open_resources(self) -> AsyncIterator[None]:
        supervisor = self.supervisor
        async with (
            supervisor.background({name: follow() for name, follow in self.following.items()}),
            self.logins(supervisor),
            self.servers(supervisor),
            supervisor.background(self.configuration()),
        ):
            yield


def tool_worker(
    bus: Bus,
    publisher: Publisher,
    *,
    worker_id: str,
    name: str,
    pulse: Pulse,
    limits: Mapping[str, ServerLimits],
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
        claims=Claims(limits=limits),
        runner=runner,
        metrics=metrics,
        tracer=tracer,
        now=now,
        new_id=new_id,
        drain_seconds=drain_seconds,
    )
