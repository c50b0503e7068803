"""Service of a worker: announce it, follow the control topic, take requests, drain, in the right order."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from opentelemetry.trace import Tracer

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.liveness.failure_detection import announce
from tarsy_bus.liveness.kafka_watch import KafkaWatch
from tarsy_bus.liveness.pulse import Pulse
from tarsy_bus.queues.work_queue import consume
from tarsy_bus.readers.controls import follow_control
from tarsy_bus.topics.kafka_rights import KafkaUser
from tarsy_bus.topics.topics_admin import await_topics
from tarsy_contracts.messages.workers import FailingProvider, WorkerAnnounced
from tarsy_contracts.wire.message import Message
from tarsy_service.process.service import Ready
from tarsy_service.supervision import Supervisor
from tarsy_service.telemetry.hop_metrics import HopTimes
from tarsy_worker.claim_types import Claimable, Claims, ServerLoad
from tarsy_worker.executor import Executor
from tarsy_worker.reports import InboxClient
from tarsy_worker.runner import Runner

type FiniteTasks = Mapping[str, Callable[[], Coroutine[object, object, None]]]
"""Tasks by name that begin with the worker's service, and end by themselves."""


class WorkerMetrics(Protocol):
    @property
    def hops(self) -> HopTimes: ...

    def busy(self, server: str) -> None:
        """Counts a request that was given back: too many run or wait."""
        ...

    def watch_load(self, load_of: Callable[[str], ServerLoad]) -> None:
        """From now on gauges of a server's load show what this returns."""
        ...


@dataclass(frozen=True, slots=True)
class WorkQueue[M: Message, R: Claimable]:
    """The topic that a worker takes requests from, as one of its group. `to_claim` makes of each what is claimed."""

    topic: str
    group: str
    kind: type[M]
    to_claim: Callable[[M], R]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerService[M: Message, R: Claimable]:
    """`drain_seconds`: how long a stop waits for running calls that must not be made twice.

    `failing_providers`: the LLM providers that it does not ask now.
    """

    bus: Bus
    publisher: Publisher
    announcement: WorkerAnnounced
    pulse: Pulse
    queue: WorkQueue[M, R]
    kafka_user: KafkaUser
    claims: Claims[R]
    runner: Runner[R]
    metrics: WorkerMetrics
    tracer: Tracer
    now: Callable[[], datetime]
    new_id: Callable[[], str]
    drain_seconds: float = 0.0
    failing_providers: Callable[[], Sequence[FailingProvider]] = tuple
    supervisor: Supervisor = field(default_factory=Supervisor)

    async def run(
        self,
        ready: Ready,
        *,
        resources: Callable[[], AbstractAsyncContextManager[None]] = nullcontext,
        finite: FiniteTasks | None = None,
    ) -> None:
        """Runs until it is cancelled. Then it stops requests, calls and resources, and announces its end, in this
        order.
        """
        await await_topics(self.bus, self.kafka_user)
        announced = asyncio.Event()
        watching = {"announcements": self._announce_for_ever(announced), "kafka": KafkaWatch(self.bus).run()}
        async with (
            self.publisher.running(),
            self.supervisor.background(watching),
            resources(),
            asyncio.TaskGroup() as tasks,
        ):
            executor = self._make_executor(tasks)
            self.metrics.watch_load(executor.load_of)
            try:
                await self._serve_requests(executor, ready, announced, finite or {})
            finally:
                await executor.drain(self.drain_seconds)

    async def _serve_requests(
        self, executor: Executor[R], ready: Ready, announced: asyncio.Event, finite: FiniteTasks
    ) -> None:
        listening = asyncio.Event()
        async with self.supervisor.group() as group:
            group.start("clock of claims", executor.tick())
            steps = self.supervisor.heartbeat_for("control")
            group.start("control", follow_control(self.bus, executor.handle_control, listening.set, steps))
            for name, work in finite.items():
                group.start_finite(name, work())
            # A grant that arrives before we listen would be lost: no claim until then.
            await listening.wait()
            # It brings the broker's time: by a clock that is ahead, every request would have come too late.
            await announced.wait()
            ready()
            await self.supervisor.run("requests", self._take_requests(executor))

    def _take_requests(self, executor: Executor[R]) -> Coroutine[object, object, None]:
        async def submit(request: M) -> None:
            await executor.submit(self.queue.to_claim(request))

        return consume(
            self.bus,
            self.publisher,
            topic=self.queue.topic,
            group=self.queue.group,
            kind=self.queue.kind,
            handler=submit,
            heartbeat=self.supervisor.heartbeat_for("requests"),
            taken=lambda written: self.metrics.hops.observe_since("queue", written),
        )

    def _announce_for_ever(self, announced: asyncio.Event) -> Coroutine[object, object, None]:
        steps = self.supervisor.heartbeat_for("announcements")

        def stepped() -> None:
            announced.set()
            steps()

        return announce(self.publisher, self.announcement, self.pulse, stepped, failing=self.failing_providers)

    def _make_executor(self, tasks: asyncio.TaskGroup) -> Executor[R]:
        return Executor(
            self.claims,
            worker_id=self.announcement.worker_id,
            pulse=self.pulse,
            runner=self.runner,
            inbox=InboxClient(self.publisher),
            count_busy=self.metrics.busy,
            hops=self.metrics.hops,
            tracer=self.tracer,
            now=self._broker_time,
            new_id=self.new_id,
            tasks=tasks,
        )

    def _broker_time(self) -> datetime:
        """Limits of requests are the broker's times."""
        return self.pulse.broker_time or self.now()
