"""The summarizer's life: in which order its parts begin, and end."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from datetime import datetime

from opentelemetry.trace import Tracer

from tarsy_bus.connection import Bus
from tarsy_bus.controls import follow_control
from tarsy_bus.liveness import announce
from tarsy_bus.publisher import Publisher
from tarsy_bus.queues import take_requests
from tarsy_bus.reports import Reports
from tarsy_bus.topics_admin import check_topics
from tarsy_contracts.requests import SummaryRequest
from tarsy_contracts.workers import WorkerAnnounced
from tarsy_service.service import Ready
from tarsy_service.supervision import Supervisor
from tarsy_summarizer.metrics import Metrics
from tarsy_summarizer.summarize import Summarizing
from tarsy_summarizer.summarizer import Summarizer


@dataclass(frozen=True, slots=True, kw_only=True)
class SummarizerService:
    bus: Bus
    publisher: Publisher
    worker_id: str
    name: str
    summarizing: Summarizing
    reports: Reports
    metrics: Metrics
    tracer: Tracer
    now: Callable[[], datetime]
    new_id: Callable[[], str]
    at_once: int
    supervisor: Supervisor = field(default_factory=Supervisor)

    async def run(self, ready: Ready) -> None:
        """Until it is cancelled: then no more requests, the summaries go back, and a good-bye, in this order."""
        await check_topics(self.bus)
        life = WorkerAnnounced(worker_id=self.worker_id, service="summarizer", name=self.name)
        async with (
            self.publisher.running(),
            self.supervisor.background({"announcements": self._announce(life)}),
            asyncio.TaskGroup() as tasks,
        ):
            summarizer = self._summarizer(tasks)
            try:
                await self._serve(summarizer, ready)
            finally:
                await summarizer.drain()
                await self.summarizing.aclose()

    async def _serve(self, summarizer: Summarizer, ready: Ready) -> None:
        listening = asyncio.Event()
        control = follow_control(self.bus, summarizer.hear, listening.set, self.supervisor.steps("control"))
        async with self.supervisor.background({"control": control}):
            await listening.wait()
            ready()
            requests = take_requests(
                self.bus,
                self.publisher,
                topic=self.bus.topics.summaries,
                group=f"{self.bus.topics.prefix}.summarizer",
                kind=SummaryRequest,
                hand_over=summarizer.take,
                stepped=self.supervisor.steps("requests"),
            )
            await self.supervisor.run("requests", requests)

    def _announce(self, life: WorkerAnnounced) -> Coroutine[object, object, None]:
        return announce(self.publisher, life, stepped=self.supervisor.steps("announcements"))

    def _summarizer(self, tasks: asyncio.TaskGroup) -> Summarizer:
        return Summarizer(
            worker_id=self.worker_id,
            summarizing=self.summarizing,
            reports=self.reports,
            metrics=self.metrics,
            tracer=self.tracer,
            now=self.now,
            new_id=self.new_id,
            most=self.at_once,
            tasks=tasks,
        )
