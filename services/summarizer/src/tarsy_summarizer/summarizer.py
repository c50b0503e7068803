"""Which summaries this process writes. All are repeatable: each is claimed and begun at once, or it is too much."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, assert_never

from opentelemetry.trace import Tracer

from tarsy_bus.reports import Report, Reports, id_of
from tarsy_bus.tracing import step
from tarsy_contracts.control import CallCancelled, ClaimGranted, ClaimRefused, Control, RequestAnswered
from tarsy_contracts.inputs import CallClaimed, CallNotStarted
from tarsy_contracts.requests import SummaryRequest
from tarsy_service.supervision import not_cancelled_from_inside
from tarsy_summarizer.metrics import Metrics, SummaryOutcome
from tarsy_summarizer.summarize import Summarizing

MOST_UNSAID = 1000
"""While so many reports wait for Kafka, no further request is taken."""
LAST_WORDS_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Run:
    request: SummaryRequest
    claim_id: str
    began: float
    task: asyncio.Task[None]


class Summarizer:
    """Everything happens in one event loop; `tasks` owns the runs and what is being said."""

    def __init__(
        self,
        *,
        worker_id: str,
        summarizing: Summarizing,
        reports: Reports,
        metrics: Metrics,
        tracer: Tracer,
        now: Callable[[], datetime],
        new_id: Callable[[], str],
        most: int,
        tasks: asyncio.TaskGroup,
    ) -> None:
        self._worker_id = worker_id
        self._summarizing = summarizing
        self._reports = reports
        self._metrics = metrics
        self._tracer = tracer
        self._now = now
        self._new_id = new_id
        self._most = most
        self._tasks = tasks
        self._runs: dict[str, Run] = {}
        self._saying: dict[str, asyncio.Task[None]] = {}

    async def take(self, request: SummaryRequest) -> None:
        """A request from the queue. Returns when it is handed over."""
        if request.call_id not in self._runs and self._now() <= request.not_after:
            self._begin(request)
        while len(self._saying) >= MOST_UNSAID:
            await asyncio.wait(self._saying.values(), return_when=asyncio.FIRST_COMPLETED)

    def hear(self, told: Control) -> None:
        match told:
            case CallCancelled():
                self._cancel(told.call_id)
            case ClaimGranted() | ClaimRefused() | RequestAnswered():
                pass  # a summary needs no grant, and one too many is harmless
            case _:
                assert_never(told)

    async def drain(self) -> None:
        """Everything goes back to the owners: another process begins it again."""
        for run in list(self._runs.values()):
            run.task.cancel()
            self._say_not_started(run.request, run.claim_id, "not_started")
        if self._saying:
            await asyncio.wait(self._saying.values(), timeout=LAST_WORDS_SECONDS)

    def _begin(self, request: SummaryRequest) -> None:
        claim_id = self._new_id()
        if len(self._runs) >= self._most:
            self._metrics.busy()
            self._say_not_started(request, claim_id, "busy")
            return
        claim = CallClaimed(call_id=request.call_id, claim_id=claim_id, worker_id=self._worker_id)
        self._say(request.session_id, claim)
        task = self._tasks.create_task(self._run(request, claim_id), name=f"summary {request.call_id}")
        self._runs[request.call_id] = Run(request, claim_id, time.monotonic(), task)
        self._metrics.running(len(self._runs))
        # Not a `finally` in the task: one that is cancelled before its first step never comes to it.
        task.add_done_callback(lambda _: self._ended(request.call_id))

    async def _run(self, request: SummaryRequest, claim_id: str) -> None:
        """Ends when Kafka has the outcome: what cannot be told is not piled up."""
        what = {"tarsy.call_id": request.call_id, "tarsy.llm_provider": request.llm_provider}
        with step(self._tracer, "summary", session_id=request.session_id, attributes=what) as span:
            work = self._summarizing.run(request, claim_id)
            report = await not_cancelled_from_inside(f"summary {request.call_id}", work)
            outcome: SummaryOutcome = "error" if report.error else "ok"
            span.set_attribute("tarsy.outcome", outcome)
            self._metrics.ended(outcome, report.duration_ms / 1000)
            await self._reports.say(request.session_id, report)

    def _ended(self, call_id: str) -> None:
        del self._runs[call_id]
        self._metrics.running(len(self._runs))

    def _cancel(self, call_id: str) -> None:
        run = self._runs.get(call_id)
        if run is not None and run.task.cancel():
            report = self._summarizing.report(run.request, run.claim_id, run.began, error="the summary was cancelled")
            self._metrics.ended("cancelled", report.duration_ms / 1000)
            self._say(run.request.session_id, report)

    def _say_not_started(self, request: SummaryRequest, claim_id: str, reason: Literal["busy", "not_started"]) -> None:
        given_up = CallNotStarted(call_id=request.call_id, claim_id=claim_id, worker_id=self._worker_id, reason=reason)
        self._say(request.session_id, given_up)

    def _say(self, session_id: str, report: Report) -> None:
        id = id_of(report)
        if id not in self._saying:
            self._saying[id] = self._tasks.create_task(self._reports.say(session_id, report), name=f"report {id}")
            self._saying[id].add_done_callback(lambda _: self._saying.pop(id))
