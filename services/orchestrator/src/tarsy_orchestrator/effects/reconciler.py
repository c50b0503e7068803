"""Making what the sessions of one partition owe, once each tenure, and telling what was decided."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial

import structlog

from tarsy_bus.tracing import current_traceparent
from tarsy_contracts.control import Control, RequestAnswered
from tarsy_contracts.identities import derived_id, report_id, session_traceparent
from tarsy_contracts.inputs import DeadlinePassed, Input, OwnInput, SessionAdmitted, ToolsOffered, WorkerDied
from tarsy_orchestrator.effects.dependencies import Dependencies
from tarsy_orchestrator.effects.dispatch import DeadlineTimer, DispatchedCall, PublishRequest, ReportNotice
from tarsy_orchestrator.effects.llm_call import make_llm_call
from tarsy_orchestrator.effects.outbox import Outbox
from tarsy_orchestrator.effects.tracing import learned
from tarsy_orchestrator.session.decision_input import DecisionInput
from tarsy_orchestrator.session.downtime import Downtime
from tarsy_orchestrator.session.effects import (
    AdmissionEffect,
    DeadlineEffect,
    Effect,
    LlmCallEffect,
    OfferToolsEffect,
    OwnEffect,
    QueuedEffect,
    SummaryEffect,
    ToolCallEffect,
    effects_of,
)
from tarsy_orchestrator.session.queue_requests import request_of, route_of
from tarsy_orchestrator.session.replies import replies_to
from tarsy_orchestrator.session.state import Investigating, SessionState
from tarsy_service.supervision import SupervisedGroup

log = structlog.get_logger(__name__)

TICK_SECONDS = 0.5

type Running = asyncio.Task[None] | DispatchedCall | DeadlineTimer


class Reconciler:
    """`put` hands what the owner learned itself to the partition that decides it.

    `behind` says whether that has inputs before it which came a while ago. `failed` is told of a session for which
    this code raised.
    """

    def __init__(
        self,
        partition: int,
        deps: Dependencies,
        put: Callable[[str, DecisionInput], None],
        behind: Callable[[datetime], bool],
        failed: Callable[[str, Exception], None],
    ) -> None:
        self._partition = partition
        self._deps = deps
        self._put = put
        self._behind = behind
        self._failed = failed
        self._outbox = Outbox(deps.metrics.outbox_dropped.inc)
        self._made: dict[str, dict[str, Running]] = {}
        self._states: dict[str, Investigating] = {}
        self._group: SupervisedGroup | None = None

    async def run(self) -> None:
        """Sends, and looks at the clock, for ever; ends what it made when it is cancelled."""
        try:
            async with self._deps.supervisor.group() as group:
                self._group = group
                group.start(f"partition-{self._partition} outbox", self._outbox.run())
                while True:
                    await asyncio.sleep(TICK_SECONDS)
                    self._tick()
        finally:
            for session_id in list(self._states):
                self._deps.admission.release(session_id)

    def act(self, session_id: str, state: SessionState) -> None:
        wanted = {one.id: one for one in effects_of(state)}
        made = self._made.pop(session_id, {})
        for id in [id for id in made if id not in wanted]:
            _end(made.pop(id))
        if not isinstance(state, Investigating):
            if self._states.pop(session_id, None) is not None:
                self._deps.admission.release(session_id)
            return
        self._states[session_id] = state
        if state.stages:
            self._deps.admission.mark_running(session_id)
        self._made[session_id] = made
        for id, one in wanted.items():
            self._make(session_id, state, made, id, one)

    def answer(self, session_id: str, state: SessionState, decided: Input) -> None:
        self.tell(session_id, replies_to(state, decided))

    def tell(self, session_id: str, controls: Sequence[Control]) -> None:
        for control in controls:
            self._outbox.put(partial(self._control, session_id, control))

    def _make(self, session_id: str, state: Investigating, made: dict[str, Running], id: str, one: Effect) -> None:
        present = made.get(id)
        if isinstance(one, ToolCallEffect | SummaryEffect):
            if isinstance(present, DispatchedCall):
                present.update(one)
            else:
                present = made[id] = DispatchedCall(one)
            self._step(session_id, present, self._deps.liveness.about_now, self._deps.downtime)
        elif isinstance(one, DeadlineEffect):
            if isinstance(present, DeadlineTimer):
                present.update(one)
            else:
                made[id] = DeadlineTimer(one)
        elif present is None and self._group is not None:
            made[id] = self._group.start_finite(f"own work {id}", self._learn(session_id, state, one))

    @contextmanager
    def _guarded(self, session_id: str) -> Iterator[None]:
        """What raises costs its session, and nobody else."""
        try:
            yield
        except Exception as problem:  # noqa: BLE001 - a mistake in the code is not the other sessions' business
            self._failed(session_id, problem)

    async def _learn(self, session_id: str, state: Investigating, one: OwnEffect) -> None:
        with self._guarded(session_id):
            await self._learn_unguarded(session_id, state, one)

    async def _learn_unguarded(self, session_id: str, state: Investigating, one: OwnEffect) -> None:
        with self._deps.traces.making(session_id, one) as span:
            input = await self._own_work(session_id, state, one)
            learned(span, input)
            traceparent = current_traceparent()
        id = report_id(input.type, one.id)
        self._put(session_id, DecisionInput(input=input, input_id=id, at=self._deps.now(), traceparent=traceparent))

    def _own_work(self, session_id: str, state: Investigating, one: OwnEffect) -> Coroutine[object, object, OwnInput]:
        match one:
            case LlmCallEffect():
                return make_llm_call(self._deps, session_id, state, one)
            case OfferToolsEffect():
                return self._offer(one)
            case AdmissionEffect():
                return self._place(one)

    async def _place(self, one: AdmissionEffect) -> SessionAdmitted:
        await self._deps.admission.acquire(one.session_id, one.priority, one.since)
        return SessionAdmitted()

    async def _offer(self, one: OfferToolsEffect) -> ToolsOffered:
        offer = await self._deps.catalog.wait_for(one.servers, seconds=self._deps.tools_seconds)
        return ToolsOffered(stage_id=one.id, tools=offer.tools, unavailable_servers=offer.unavailable_servers)

    def _tick(self) -> None:
        now, downtime = self._deps.liveness.about_now, self._deps.downtime
        for session_id, made in list(self._made.items()):
            with self._guarded(session_id):
                self._tick_session(session_id, list(made.values()), now, downtime)

    def _tick_session(self, session_id: str, made: Sequence[Running], now: datetime | None, downtime: Downtime) -> None:
        for one in made:
            if isinstance(one, DispatchedCall):
                self._step(session_id, one, now, downtime)
            elif isinstance(one, DeadlineTimer):
                self._look(session_id, one, now, downtime)

    def _step(self, session_id: str, queued: DispatchedCall, now: datetime | None, downtime: Downtime) -> None:
        claim = queued.effect.claim
        dead = claim is not None and self._deps.liveness.is_dead(claim.worker_id, since=claim.since)
        behind = now is not None and self._behind(now)
        match queued.step(self._deps.monotonic(), now, worker_dead=dead, behind=behind, downtime=downtime):
            case PublishRequest(effect=one, attempt=attempt):
                self._outbox.put(partial(self._request, session_id, one, attempt))
            case ReportNotice(noticed=noticed):
                if isinstance(noticed, WorkerDied):
                    self._deps.metrics.worker_died(noticed.worker_id)
                self._notice(session_id, noticed)
            case None:
                pass

    def _look(self, session_id: str, timer: DeadlineTimer, now: datetime | None, downtime: Downtime) -> None:
        noticed = timer.step(self._deps.monotonic(), now, downtime)
        if noticed is not None:
            self._notice(session_id, noticed.noticed)

    def _notice(self, session_id: str, noticed: WorkerDied | DeadlinePassed) -> None:
        log.warning("call.noticed", session_id=session_id, call_id=noticed.call_id, noticed=noticed.type)
        self._outbox.put(partial(self._tell, session_id, noticed))

    async def _request(self, session_id: str, one: QueuedEffect, attempt: int) -> None:
        state = self._states.get(session_id)
        if state is None:
            return
        request, route = None, None
        with self._guarded(session_id):
            request = request_of(session_id, state, one, self._deps.downtime)
            route = route_of(session_id, state, one, attempt)
        if request is None or route is None:
            return
        topics = self._deps.publisher.topics
        topic = topics.tool_calls if isinstance(one, ToolCallEffect) else topics.summaries
        id = derived_id("request", one.id, one.releases)
        await self._deps.publisher.publish(
            topic,
            request,
            key=route.key,
            id=id,
            subject=session_id,
            partition=route.partition,
            traceparent=session_traceparent(session_id),
        )
        queue = topic.removeprefix(f"{topics.prefix}.")
        self._deps.metrics.requests_published.labels(queue).inc()
        if attempt > 1:
            self._deps.metrics.requests_republished.labels(queue).inc()

    async def _tell(self, session_id: str, noticed: WorkerDied | DeadlinePassed) -> None:
        """Into the owner's own inbox: it is decided behind everything that was reported before."""
        publisher = self._deps.publisher
        id = report_id(noticed.type, noticed.call_id)
        await publisher.publish(
            publisher.topics.inbox,
            noticed,
            key=session_id,
            id=id,
            subject=session_id,
            partition=self._partition,
            traceparent=session_traceparent(session_id),
        )

    async def _control(self, session_id: str, control: Control) -> None:
        key = control.request_id if isinstance(control, RequestAnswered) else control.call_id
        await self._deps.publisher.publish(
            self._deps.publisher.topics.control,
            control,
            key=key,
            id=derived_id(control.type, key),
            subject=session_id,
            traceparent=session_traceparent(session_id),
        )


def _end(made: Running) -> None:
    if isinstance(made, asyncio.Task):
        made.cancel()
