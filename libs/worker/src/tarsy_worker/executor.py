"""Executor of the claim state machine: it sends the reports, and starts and cancels the runs that claims.py decides."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime
from typing import assert_never

import structlog
from opentelemetry.trace import Tracer

from tarsy_bus.liveness.pulse import Pulse
from tarsy_bus.tracing import mark_failed
from tarsy_bus.tracing import open_span as traced
from tarsy_contracts.messages.control import CallCancelled, ClaimGranted, ClaimRefused, Control, RequestAnswered
from tarsy_contracts.messages.inputs import CallClaimed, CallNotStarted
from tarsy_service.telemetry.hop_metrics import HopTimes
from tarsy_worker.claim_types import (
    CancelRun,
    Claimable,
    ClaimEffect,
    ClaimInput,
    Claims,
    CutOff,
    DrainEnded,
    DrainStarted,
    Reconnected,
    ReportClaim,
    ReportNotStarted,
    ReportOutcome,
    RequestReceived,
    RunEnded,
    ServerLoad,
    StartRun,
    Ticked,
)
from tarsy_worker.claims import load_of, step
from tarsy_worker.reports import InboxClient, Report, id_of, outcome_of
from tarsy_worker.runner import MayStart, Runner

log = structlog.get_logger(__name__)

TICK_SECONDS = 0.25
MOST_REPORTED_CALLS = 5_000
"""Calls that are remembered after their outcome was reported."""
MOST_UNSENT_REPORTS = 1000
"""No further request is taken while this many reports wait for Kafka."""
LAST_REPORTS_SECONDS = 2.0


class Executor[R: Claimable]:
    """The state, and the tasks of its calls. Everything happens in one event loop: a step is never interrupted."""

    def __init__(
        self,
        claims: Claims[R],
        *,
        worker_id: str,
        pulse: Pulse,
        runner: Runner[R],
        inbox: InboxClient,
        count_busy: Callable[[str], None],
        hops: HopTimes,
        tracer: Tracer,
        now: Callable[[], datetime],
        new_id: Callable[[], str],
        tasks: asyncio.TaskGroup,
    ) -> None:
        """`tasks` owns the runs and the reports."""
        self._claims = claims
        self._worker_id = worker_id
        self._pulse = pulse
        self._lapses = pulse.lapses
        self._runner = runner
        self._inbox = inbox
        self._count_busy = count_busy
        self._hops = hops
        self._claimed_at: OrderedDict[str, float] = OrderedDict()
        """When claims were reported that wait for their grant, or to run."""
        self._tracer = tracer
        self._now = now
        self._new_id = new_id
        self._tasks = tasks
        self._runs: dict[str, asyncio.Task[None]] = {}
        self._unsent: dict[str, asyncio.Task[None]] = {}
        self._reported: OrderedDict[str, None] = OrderedDict()

    def load_of(self, server: str) -> ServerLoad:
        return load_of(self._claims, server)

    async def submit(self, request: R) -> None:
        """A request from the queue. Returns when it is handed over. A call whose outcome was reported does not run."""
        if request.call_id not in self._reported:
            self._check_pulse_and_apply(RequestReceived(request, self._new_id()))
        while len(self._unsent) >= MOST_UNSENT_REPORTS:
            await asyncio.wait(self._unsent.values(), return_when=asyncio.FIRST_COMPLETED)

    def handle_control(self, control: Control) -> None:
        match control:
            case ClaimGranted() | ClaimRefused() | CallCancelled():
                self._check_pulse_and_apply(control)
            case RequestAnswered():
                pass  # for those who serve people
            case _:
                assert_never(control)

    async def tick(self) -> None:
        """Lets time pass, for ever: claims are repeated and given back."""
        while True:
            await asyncio.sleep(TICK_SECONDS)
            self._check_pulse_and_apply(Ticked())

    async def drain(self, seconds: float) -> None:
        """Gives back what has not begun, waits for the rest up to the limit, and gets every report sent."""
        self._check_pulse_and_apply(DrainStarted())
        if self._runs:
            await asyncio.wait(self._runs.values(), timeout=seconds)
        self._check_pulse_and_apply(DrainEnded())
        if self._unsent:
            await asyncio.wait(self._unsent.values(), timeout=LAST_REPORTS_SECONDS)

    def _check_pulse_and_apply(self, input: ClaimInput[R]) -> None:
        """First of all this process finds out whether it slept: a grant may be older than it looks."""
        self._check_pulse()
        self._apply_input(input)

    def _check_pulse(self) -> None:
        lapsed, is_fresh = self._pulse.lapses != self._lapses, self._pulse.is_fresh
        self._lapses = self._pulse.lapses
        if lapsed or (not is_fresh and not self._claims.cut_off):
            if self._pulse.was_heard:
                log.warning("worker.cut_off", worker_id=self._worker_id)
            self._apply_input(CutOff())
        if is_fresh and self._claims.cut_off:
            self._apply_input(Reconnected())

    def _apply_input(self, input: ClaimInput[R]) -> None:
        self._claims, effects = step(self._claims, input, self._now())
        for effect in effects:
            self._perform_effect(effect)

    def _perform_effect(self, effect: ClaimEffect[R]) -> None:
        match effect:
            case ReportClaim(request, claim_id):
                claim = CallClaimed(call_id=request.call_id, claim_id=claim_id, worker_id=self._worker_id)
                self._note_claimed(claim_id)
                self._start_report(request.session_id, claim)
            case ReportNotStarted(request, claim_id, reason):
                if reason == "busy":
                    self._count_busy(request.server)
                not_started = CallNotStarted(
                    call_id=request.call_id, claim_id=claim_id, worker_id=self._worker_id, reason=reason
                )
                self._start_report(request.session_id, not_started)
            case ReportOutcome(request):
                self._start_report(request.session_id, self._runner.report_cancelled(effect))
            case StartRun(request, claim_id):
                self._start_run(request, claim_id)
            case CancelRun(claim_id):
                self._runs[claim_id].cancel()
            case _:
                assert_never(effect)

    def _note_claimed(self, claim_id: str) -> None:
        """The first report counts: a claim is repeated until it is answered."""
        self._claimed_at.setdefault(claim_id, self._hops.monotonic())
        if len(self._claimed_at) > MOST_REPORTED_CALLS:
            self._claimed_at.popitem(last=False)

    def _start_report(self, session_id: str, report: Report) -> None:
        """In a task of its own. A report that is being sent already is not sent a second time beside it."""
        id = id_of(report)
        if id not in self._unsent:
            self._unsent[id] = self._tasks.create_task(self._inbox.report(session_id, report), name=f"report {id}")
            self._unsent[id].add_done_callback(lambda _: self._unsent.pop(id))

    def _start_run(self, request: R, claim_id: str) -> None:
        if (claimed_at := self._claimed_at.pop(claim_id, None)) is not None:
            self._hops.observe("claim", self._hops.monotonic() - claimed_at)
        may_start = self._make_start_check(request)
        run = self._tasks.create_task(
            self._run_until_reported(request, claim_id, may_start), name=f"run {request.call_id}"
        )
        self._runs[claim_id] = run
        # Not a `finally` in the task: one that is cancelled before its first step never comes to it.
        run.add_done_callback(lambda _: self._end_run(request, claim_id))

    def _make_start_check(self, request: R) -> MayStart:
        """A granted call starts only while the grant has certainly not been withdrawn."""
        lapses = self._pulse.lapses
        return lambda: request.repeatable or (self._pulse.is_fresh and self._pulse.lapses == lapses)

    async def _run_until_reported(self, request: R, claim_id: str, may_start: MayStart) -> None:
        """Ends when Kafka has the outcome: a run whose outcome cannot be reported keeps its place at the server."""
        about = self._runner.describe_span(request)
        with traced(
            self._tracer,
            about.name,
            session_id=request.session_id,
            cause=about.cause,
            attributes=about.attributes,
            kind=about.kind,
        ) as span:
            with self._hops.time("run"):
                report = await self._runner.run(request, claim_id, may_start)
            outcome = outcome_of(report)
            span.set_attribute("tarsy.outcome", outcome)
            if outcome != "ok":
                mark_failed(span, outcome)
            await self._inbox.report(request.session_id, report)
            self._remember_reported(request.call_id)

    def _remember_reported(self, call_id: str) -> None:
        """An owner that is behind asks again for calls whose outcome lies unread in its inbox."""
        self._reported[call_id] = None
        if len(self._reported) > MOST_REPORTED_CALLS:
            self._reported.popitem(last=False)

    def _end_run(self, request: R, claim_id: str) -> None:
        del self._runs[claim_id]
        self._check_pulse_and_apply(RunEnded(request.call_id, claim_id))
