"""Performs what claims.py decides: says, runs, breaks off."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime
from typing import assert_never

import structlog
from opentelemetry.trace import Tracer

from tarsy_bus.pulse import Pulse
from tarsy_bus.reports import Report, Reports, id_of
from tarsy_bus.tracing import step as traced
from tarsy_contracts.control import CallCancelled, ClaimGranted, ClaimRefused, Control, RequestAnswered
from tarsy_contracts.inputs import CallClaimed, CallNotStarted
from tarsy_contracts.requests import ToolCallRequest
from tarsy_tool_gateway.calls import (
    Abandoned,
    BreakOff,
    Claims,
    CutOff,
    Effect,
    Ended,
    Heard,
    Input,
    Received,
    Run,
    SayClaimed,
    SayEnded,
    SayNotStarted,
    Stopping,
    Ticked,
)
from tarsy_tool_gateway.claims import load_of, step
from tarsy_tool_gateway.metrics import Metrics
from tarsy_tool_gateway.runner import Runner
from tarsy_tool_gateway.tool_servers import MayStart

log = structlog.get_logger(__name__)

TICK_SECONDS = 0.25
TOLD_REMEMBERED = 5_000
MOST_UNSAID = 1000
"""While so many reports wait for Kafka, no further request is taken."""
LAST_WORDS_SECONDS = 2.0


class Gateway:
    """The state, and the tasks of its calls. Everything happens in one event loop: a step is never interrupted."""

    def __init__(
        self,
        claims: Claims,
        *,
        worker_id: str,
        pulse: Pulse,
        runner: Runner,
        reports: Reports,
        metrics: Metrics,
        tracer: Tracer,
        now: Callable[[], datetime],
        new_id: Callable[[], str],
        tasks: asyncio.TaskGroup,
    ) -> None:
        self._claims = claims
        self._worker_id = worker_id
        self._pulse = pulse
        self._lapses = pulse.lapses
        self._runner = runner
        self._reports = reports
        self._metrics = metrics
        self._tracer = tracer
        self._now = now
        self._new_id = new_id
        self._tasks = tasks
        self._runs: dict[str, asyncio.Task[None]] = {}
        self._saying: dict[str, asyncio.Task[None]] = {}
        self._told: OrderedDict[str, None] = OrderedDict()

    async def take(self, request: ToolCallRequest) -> None:
        """A request from the queue. Returns when it is handed over. Whose outcome was told is not run again."""
        if request.call_id not in self._told:
            self._step(Received(request, self._new_id()))
        while len(self._saying) >= MOST_UNSAID:
            await asyncio.wait(self._saying.values(), return_when=asyncio.FIRST_COMPLETED)

    def hear(self, told: Control) -> None:
        match told:
            case ClaimGranted() | ClaimRefused() | CallCancelled():
                self._step(told)
            case RequestAnswered():
                pass  # for those who serve people
            case _:
                assert_never(told)

    async def tick(self) -> None:
        """Lets time pass, for ever: claims are repeated and given up."""
        while True:
            await asyncio.sleep(TICK_SECONDS)
            self._step(Ticked())
            self._show()

    async def drain(self, seconds: float) -> None:
        """Gives back what has not begun, waits for the rest up to the limit, and gets everything said."""
        self._step(Stopping())
        if self._runs:
            await asyncio.wait(self._runs.values(), timeout=seconds)
        self._step(Abandoned())
        if self._saying:
            await asyncio.wait(self._saying.values(), timeout=LAST_WORDS_SECONDS)

    def _step(self, input: Input) -> None:
        """Before anything else this process finds out whether it slept: a grant may be older than it looks."""
        self._feel_pulse()
        self._apply(input)

    def _feel_pulse(self) -> None:
        lapsed, is_fresh = self._pulse.lapses != self._lapses, self._pulse.is_fresh
        self._lapses = self._pulse.lapses
        if lapsed or (not is_fresh and not self._claims.cut_off):
            if self._pulse.was_heard:
                log.warning("gateway.cut_off", worker_id=self._worker_id)
            self._apply(CutOff())
        if is_fresh and self._claims.cut_off:
            self._apply(Heard())

    def _apply(self, input: Input) -> None:
        self._claims, effects = step(self._claims, input, self._now())
        for effect in effects:
            self._perform(effect)

    def _show(self) -> None:
        for server in self._metrics.servers:
            self._metrics.load(server, load_of(self._claims, server))

    def _perform(self, effect: Effect) -> None:
        match effect:
            case SayClaimed(request, claim_id):
                claim = CallClaimed(call_id=request.call_id, claim_id=claim_id, worker_id=self._worker_id)
                self._say(request.session_id, claim)
            case SayNotStarted(request, claim_id, reason):
                if reason == "busy":
                    self._metrics.busy(request.server)
                given_up = CallNotStarted(
                    call_id=request.call_id, claim_id=claim_id, worker_id=self._worker_id, reason=reason
                )
                self._say(request.session_id, given_up)
            case SayEnded(request):
                self._say(request.session_id, self._runner.broken_off(effect))
            case Run(request, claim_id):
                self._begin(request, claim_id)
            case BreakOff(claim_id):
                self._runs[claim_id].cancel()
            case _:
                assert_never(effect)

    def _say(self, session_id: str, report: Report) -> None:
        """In a task of its own; what is being said already is not said beside it."""
        id = id_of(report)
        if id not in self._saying:
            self._saying[id] = self._tasks.create_task(self._reports.say(session_id, report), name=f"report {id}")
            self._saying[id].add_done_callback(lambda _: self._saying.pop(id))

    def _begin(self, request: ToolCallRequest, claim_id: str) -> None:
        may_start = self._may_start(request)
        run = self._tasks.create_task(self._run(request, claim_id, may_start), name=f"call {request.call_id}")
        self._runs[claim_id] = run
        # Not a `finally` in the task: one that is broken off before its first step never comes to it.
        run.add_done_callback(lambda _: self._ended(request, claim_id))

    def _may_start(self, request: ToolCallRequest) -> MayStart:
        """What is granted starts only as long as the grant has certainly not been taken back."""
        lapses = self._pulse.lapses
        return lambda: request.repeatable or (self._pulse.is_fresh and self._pulse.lapses == lapses)

    async def _run(self, request: ToolCallRequest, claim_id: str, may_start: MayStart) -> None:
        """Ends when Kafka has the outcome: what cannot be told keeps its place at the server, and is not piled up."""
        what = {"tarsy.call_id": request.call_id, "tarsy.server": request.server, "tarsy.tool": request.tool}
        with traced(self._tracer, "tool_call", session_id=request.session_id, attributes=what) as span:
            report = await self._runner.run(request, claim_id, may_start)
            span.set_attribute("tarsy.outcome", report.outcome)
            await self._reports.say(request.session_id, report)
            self._remember(request.call_id)

    def _remember(self, call_id: str) -> None:
        """An owner that is behind asks again for what lies unread in its inbox."""
        self._told[call_id] = None
        if len(self._told) > TOLD_REMEMBERED:
            self._told.popitem(last=False)

    def _ended(self, request: ToolCallRequest, claim_id: str) -> None:
        del self._runs[claim_id]
        self._step(Ended(request.call_id, claim_id))
