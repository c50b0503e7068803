"""Service of the summarizer: a worker that closes its connections to models when the last summary has ended."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from opentelemetry.trace import Tracer

from tarsy_bus.client.chunk_sender import ChunkSender
from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.liveness.pulse import Pulse
from tarsy_bus.topics.kafka_rights import SUMMARIZER
from tarsy_contracts.messages.requests import SummaryRequest
from tarsy_contracts.messages.workers import FailingProvider, WorkerAnnounced
from tarsy_contracts.timing import GRACE_SECONDS
from tarsy_llm.circuits import Circuits
from tarsy_service.process.service import Ready
from tarsy_service.supervision import Supervisor, Work
from tarsy_summarizer.metrics import SUMMARIES, Metrics
from tarsy_summarizer.runner import SummaryClaim, SummaryRunner
from tarsy_summarizer.summarize import Summarizer
from tarsy_worker.claim_types import Claims, ServerLimits
from tarsy_worker.service import WorkerService, WorkQueue


@dataclass(frozen=True, slots=True, kw_only=True)
class SummarizerService:
    """`configuration`: long-lived tasks that follow it."""

    worker: WorkerService[SummaryRequest, SummaryClaim]
    summarizer: Summarizer
    chunks: ChunkSender
    circuits: Circuits
    configuration: Callable[[], Mapping[str, Work]] = dict

    @property
    def supervisor(self) -> Supervisor:
        return self.worker.supervisor

    async def run(self, ready: Ready) -> None:
        """Until it is cancelled."""
        await self.worker.run(ready, resources=self._run_models)

    @asynccontextmanager
    async def _run_models(self) -> AsyncIterator[None]:
        try:
            async with self.supervisor.background({"chunks": self.chunks.run(), **self.configuration()}):
                yield
        finally:
            await self.summarizer.aclose()


def summary_worker(
    bus: Bus,
    publisher: Publisher,
    *,
    worker_id: str,
    name: str,
    summarizer: Summarizer,
    metrics: Metrics,
    tracer: Tracer,
    now: Callable[[], datetime],
    new_id: Callable[[], str],
    at_once: int,
    failing_providers: Callable[[], Sequence[FailingProvider]],
) -> WorkerService[SummaryRequest, SummaryClaim]:
    """`at_once` summaries run at a time, and as many wait; a stop gives them back."""
    return WorkerService(
        bus=bus,
        publisher=publisher,
        announcement=WorkerAnnounced(worker_id=worker_id, service="summarizer", name=name),
        pulse=Pulse(GRACE_SECONDS),
        queue=WorkQueue(
            topic=bus.topics.summaries,
            group=f"{bus.topics.prefix}.summarizer",
            kind=SummaryRequest,
            to_claim=SummaryClaim,
        ),
        kafka_user=SUMMARIZER,
        claims=Claims(limits={SUMMARIES: ServerLimits(concurrent=at_once, queue=at_once)}, claim_after=timedelta(0)),
        runner=SummaryRunner(summarizer, metrics),
        metrics=metrics,
        tracer=tracer,
        now=now,
        new_id=new_id,
        failing_providers=failing_providers,
    )
