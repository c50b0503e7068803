"""Reconciler of effects: starts what the sessions of one partition owe, and cancels what they owe no longer."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial

import structlog

from tarsy_bus.tracing import current_traceparent
from tarsy_contracts.messages.control import Control
from tarsy_contracts.messages.inputs import (
    CallNotStarted,
    DeadlinePassed,
    Input,
    OwnInput,
    SessionAdmitted,
    ToolsOffered,
    WorkerDied,
)
from tarsy_contracts.wire.ids import derive_id, execution_traceparent, report_id
from tarsy_orchestrator.effects.dependencies import Dependencies
from tarsy_orchestrator.effects.dispatch import DeadlineTimer, DispatchedCall, PublishRequest, ReportNotice
from tarsy_orchestrator.effects.llm_call import llm_turn, make_llm_call
from tarsy_orchestrator.effects.notices import publish_control, publish_notice
from tarsy_orchestrator.effects.outbox import Outbox
from tarsy_orchestrator.effects.streamed_words import RunningWords
from tarsy_orchestrator.effects.tracing import record_outcome
from tarsy_service.supervision import SupervisedGroup
from tarsy_session.decision_input import DecisionInput
from tarsy_session.downtime import Downtime
from tarsy_session.effects import (
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
from tarsy_session.queue_requests import request_of, route_of
from tarsy_session.replies import replies_to
from tarsy_session.state import Investigating, SessionState
from tarsy_session.state_queries import only_waits_for_people

log = structlog.get_logger(__name__)

TICK_SECONDS = 0.5

type Running = asyncio.Task[None] | DispatchedCall | DeadlineTimer


class Reconciler:
    """Each effect is started once in a tenure. Replies to workers and people go out here, too.

    `submit` hands an input of the owner's own to the partition that decides it. `undecided_since` returns when the
    oldest input came that has waited there for a while. `on_failure` is called with a session for which this code
    raised.
    """

    def __init__(
        self,
        partition: int,
        deps: Dependencies,
        submit: Callable[[str, DecisionInput], None],
        undecided_since: Callable[[datetime], datetime | None],
        on_failure: Callable[[str, Exception], None],
    ) -> None:
        self._partition = partition
        self._deps = deps
        self._submit = submit
        self._undecided_since = undecided_since
        self._on_failure = on_failure
        self._outbox = Outbox(deps.metrics.outbox_dropped.inc)
        self._words = RunningWords()
        self._running: dict[str, dict[str, Running]] = {}
        self._states: dict[str, Investigating] = {}
        self._group: SupervisedGroup | None = None

    async def run(self) -> None:
        """Sends and checks timers for ever; ends what it started when it is cancelled."""
        try:
            async with self._deps.supervisor.group() as group:
                self._group = group
                group.start(f"partition-{self._partition} outbox", self._outbox.run())
                while True:
                    await asyncio.sleep(TICK_SECONDS)
                    self._tick_all()
        finally:
            for session_id in list(self._states):
                self._release_session(session_id)

    def reconcile(self, session_id: str, state: SessionState) -> None:
        wanted = {one.id: one for one in effects_of(state)}
        running = self._running.pop(session_id, {})
        for id in [id for id in running if id not in wanted]:
            _cancel_if_task(running.pop(id))
        if not isinstance(state, Investigating):
            if self._states.pop(session_id, None) is not None:
                self._release_session(session_id)
            return
        self._states[session_id] = state
        self._keep_admission(session_id, state)
        self._running[session_id] = running
        for id, one in wanted.items():
            self._start_effect(session_id, state, running, id, one)

    def reply(self, session_id: str, state: SessionState, decided: Input) -> None:
        if isinstance(decided, CallNotStarted):
            call = self._running.get(session_id, {}).get(decided.call_id)
            if isinstance(call, DispatchedCall):
                call.give_back(decided.claim_id)
        self.send_control(session_id, replies_to(state, decided))

    def send_control(self, session_id: str, controls: Sequence[Control]) -> None:
        for control in controls:
            self._outbox.put(partial(publish_control, self._deps.publisher, session_id, control))

    @property
    def has_unclaimed_calls(self) -> bool:
        return any(
            isinstance(one, DispatchedCall) and one.effect.claim is None
            for running in self._running.values()
            for one in running.values()
        )

    def _start_effect(
        self, session_id: str, state: Investigating, running: dict[str, Running], id: str, one: Effect
    ) -> None:
        present = running.get(id)
        if isinstance(one, ToolCallEffect | SummaryEffect):
            if isinstance(present, DispatchedCall):
                present.update(one)
            else:
                present = running[id] = DispatchedCall(one)
            self._advance_call(session_id, present, self._deps.liveness.about_now, self._deps.downtime)
        elif isinstance(one, DeadlineEffect):
            if isinstance(present, DeadlineTimer):
                present.update(one)
            else:
                running[id] = DeadlineTimer(one)
        elif present is None and self._group is not None:
            running[id] = self._group.start_finite(f"own work {id}", self._run_own(session_id, state, one))

    @contextmanager
    def _guard_session(self, session_id: str) -> Iterator[None]:
        """An error costs its own session, and no other."""
        try:
            yield
        except Exception as problem:  # noqa: BLE001 - a mistake in the code is not the other sessions' business
            self._on_failure(session_id, problem)

    async def _run_own(self, session_id: str, state: Investigating, one: OwnEffect) -> None:
        with self._guard_session(session_id):
            await self._run_own_unguarded(session_id, state, one)

    async def _run_own_unguarded(self, session_id: str, state: Investigating, one: OwnEffect) -> None:
        if isinstance(one, LlmCallEffect):
            async with llm_turn(self._deps, one) as times:
                with self._words.of(one.id) as words:
                    work = make_llm_call(self._deps, session_id, state, one, times, words)
                    input, traceparent = await self._run_traced(session_id, one, work)
        else:
            input, traceparent = await self._run_traced(session_id, one, self._work_of_effect(one))
        id = report_id(input.type, one.id)
        at = self._deps.broker_now
        context = DecisionInput(input=input, input_id=id, at=at, traceparent=traceparent, downtime=self._deps.downtime)
        self._submit(session_id, context)

    async def _run_traced(
        self, session_id: str, one: OwnEffect, work: Coroutine[object, object, OwnInput]
    ) -> tuple[OwnInput, str | None]:
        """Returns the outcome of the work, and the `traceparent` of the span around it."""
        with self._deps.traces.span(session_id, one) as span:
            input = await work
            record_outcome(span, input)
            return input, current_traceparent()

    def _work_of_effect(self, one: OfferToolsEffect | AdmissionEffect) -> Coroutine[object, object, OwnInput]:
        match one:
            case OfferToolsEffect():
                return self._offer_tools(one)
            case AdmissionEffect():
                return self._await_admission(one)

    def _keep_admission(self, session_id: str, state: Investigating) -> None:
        """A later life gives the investigation's place back; a session that an owner took over keeps its place."""
        if state.ended is None:
            if state.stages:
                self._keep_place(session_id, state)
            return
        self._deps.admission.release(session_id)
        if state.life.requested is not None and state.life.began_at is not None:
            self._deps.background.mark_running(session_id)
        else:
            self._deps.background.release(session_id)

    def _keep_place(self, session_id: str, state: Investigating) -> None:
        if only_waits_for_people(state):
            self._deps.admission.mark_waiting_for_people(session_id)
        else:
            self._deps.admission.mark_running(session_id)

    def _release_session(self, session_id: str) -> None:
        self._deps.admission.release(session_id)
        self._deps.background.release(session_id)

    async def _await_admission(self, one: AdmissionEffect) -> SessionAdmitted:
        queue = self._deps.admission if one.queue == "investigation" else self._deps.background
        await queue.acquire(one.session_id, one.priority, one.since)
        return SessionAdmitted()

    async def _offer_tools(self, one: OfferToolsEffect) -> ToolsOffered:
        offer = await self._deps.catalog.wait_for(one.servers, self._deps.tools_patience)
        return ToolsOffered(stage_id=one.id, tools=offer.tools, unavailable_servers=offer.unavailable_servers)

    def _tick_all(self) -> None:
        now, downtime = self._deps.liveness.about_now, self._deps.downtime
        for session_id, running in list(self._running.items()):
            with self._guard_session(session_id):
                self._tick_session(session_id, list(running.values()), now, downtime)

    def _tick_session(
        self, session_id: str, running: Sequence[Running], now: datetime | None, downtime: Downtime
    ) -> None:
        for one in running:
            if isinstance(one, DispatchedCall):
                self._advance_call(session_id, one, now, downtime)
            elif isinstance(one, DeadlineTimer):
                self._check_timer(session_id, one, now, downtime)

    def _advance_call(self, session_id: str, queued: DispatchedCall, now: datetime | None, downtime: Downtime) -> None:
        claim = queued.effect.claim
        dead = claim is not None and self._deps.liveness.is_dead(claim.worker_id, since=claim.since)
        undecided = None if now is None else self._undecided_since(now)
        match queued.step(self._deps.monotonic(), now, worker_dead=dead, undecided_since=undecided, downtime=downtime):
            case PublishRequest(effect=one, attempt=attempt):
                self._outbox.put(partial(self._publish_request, session_id, one, attempt))
            case ReportNotice(noticed=noticed):
                if isinstance(noticed, WorkerDied):
                    self._deps.metrics.count_dead_worker(noticed.worker_id)
                self._report_notice(session_id, noticed)
            case None:
                pass

    def _check_timer(self, session_id: str, timer: DeadlineTimer, now: datetime | None, downtime: Downtime) -> None:
        noticed = timer.step(self._deps.monotonic(), now, downtime)
        if noticed is not None:
            unfinished = self._words.list_unfinished(self._running.get(session_id, {}))
            self._report_notice(session_id, noticed.noticed.model_copy(update={"unfinished": unfinished}))

    def _report_notice(self, session_id: str, noticed: WorkerDied | DeadlinePassed) -> None:
        log.warning("call.noticed", session_id=session_id, call_id=noticed.call_id, noticed=noticed.type)
        self._outbox.put(partial(publish_notice, self._deps.publisher, self._partition, session_id, noticed))

    async def _publish_request(self, session_id: str, one: QueuedEffect, attempt: int) -> None:
        state = self._states.get(session_id)
        if state is None:
            return
        topics = self._deps.publisher.topics
        topic = topics.tool_calls if isinstance(one, ToolCallEffect) else topics.summaries
        request, route = None, None
        with self._guard_session(session_id):
            request = request_of(session_id, state, one, self._deps.downtime)
            route = route_of(session_id, state, one, attempt, self._deps.publisher.partitions(topic))
        if request is None or route is None:
            return
        id = derive_id("request", one.id, one.releases)
        await self._deps.publisher.publish(
            topic,
            request,
            key=route.key,
            id=id,
            subject=session_id,
            partition=route.partition,
            traceparent=execution_traceparent(session_id, request.execution_id),
        )
        queue = topic.removeprefix(f"{topics.prefix}.")
        self._deps.metrics.requests_published.labels(queue).inc()
        if attempt > 1:
            self._deps.metrics.requests_republished.labels(queue).inc()


def _cancel_if_task(running: Running) -> None:
    if isinstance(running, asyncio.Task):
        running.cancel()
