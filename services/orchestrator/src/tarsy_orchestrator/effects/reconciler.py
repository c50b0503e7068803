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
from tarsy_contracts.inputs import DeadlinePassed, Input, OwnInput, PlaceGiven, ToolsOffered, WorkerDied
from tarsy_orchestrator.effects.dependencies import Surroundings
from tarsy_orchestrator.effects.dispatch import Publish, Queued, Tell, Timer
from tarsy_orchestrator.effects.llm_call import make_llm_call
from tarsy_orchestrator.effects.outbox import Outbox
from tarsy_orchestrator.effects.tracing import learned
from tarsy_orchestrator.session.decision_input import Given
from tarsy_orchestrator.session.downtime import Downtime
from tarsy_orchestrator.session.effects import (
    Owed,
    OwedEnd,
    OwedLlmCall,
    OwedPlace,
    OwedSummary,
    OwedToolCall,
    OwedTools,
    OwnWork,
    QueuedCall,
    owed,
)
from tarsy_orchestrator.session.queue_requests import request_of, route_of
from tarsy_orchestrator.session.replies import answers
from tarsy_orchestrator.session.state import Investigating, State
from tarsy_service.supervision import SupervisedGroup

log = structlog.get_logger(__name__)

TICK_SECONDS = 0.5

type Made = asyncio.Task[None] | Queued | Timer


class Work:
    """`put` hands what the owner learned itself to the partition that decides it.

    `behind` says whether that has inputs before it which came a while ago. `failed` is told of a session for which
    this code raised.
    """

    def __init__(
        self,
        partition: int,
        around: Surroundings,
        put: Callable[[str, Given], None],
        behind: Callable[[datetime], bool],
        failed: Callable[[str, Exception], None],
    ) -> None:
        self._partition = partition
        self._around = around
        self._put = put
        self._behind = behind
        self._failed = failed
        self._outbox = Outbox(around.metrics.outbox_dropped.inc)
        self._made: dict[str, dict[str, Made]] = {}
        self._states: dict[str, Investigating] = {}
        self._group: SupervisedGroup | None = None

    async def run(self) -> None:
        """Sends, and looks at the clock, for ever; ends what it made when it is cancelled."""
        try:
            async with self._around.supervisor.group() as group:
                self._group = group
                group.start(f"partition-{self._partition} outbox", self._outbox.run())
                while True:
                    await asyncio.sleep(TICK_SECONDS)
                    self._tick()
        finally:
            for session_id in list(self._states):
                self._around.places.free(session_id)

    def act(self, session_id: str, state: State) -> None:
        wanted = {one.id: one for one in owed(state)}
        made = self._made.pop(session_id, {})
        for id in [id for id in made if id not in wanted]:
            _end(made.pop(id))
        if not isinstance(state, Investigating):
            if self._states.pop(session_id, None) is not None:
                self._around.places.free(session_id)
            return
        self._states[session_id] = state
        if state.stages:
            self._around.places.occupy(session_id)
        self._made[session_id] = made
        for id, one in wanted.items():
            self._make(session_id, state, made, id, one)

    def answer(self, session_id: str, state: State, decided: Input) -> None:
        self.tell(session_id, answers(state, decided))

    def tell(self, session_id: str, controls: Sequence[Control]) -> None:
        for control in controls:
            self._outbox.put(partial(self._control, session_id, control))

    def _make(self, session_id: str, state: Investigating, made: dict[str, Made], id: str, one: Owed) -> None:
        present = made.get(id)
        if isinstance(one, OwedToolCall | OwedSummary):
            if isinstance(present, Queued):
                present.update(one)
            else:
                present = made[id] = Queued(one)
            self._step(session_id, present, self._around.liveness.about_now, self._around.downtime)
        elif isinstance(one, OwedEnd):
            if isinstance(present, Timer):
                present.update(one)
            else:
                made[id] = Timer(one)
        elif present is None and self._group is not None:
            made[id] = self._group.start_finite(f"own work {id}", self._learn(session_id, state, one))

    @contextmanager
    def _guarded(self, session_id: str) -> Iterator[None]:
        """What raises costs its session, and nobody else."""
        try:
            yield
        except Exception as problem:  # noqa: BLE001 - a mistake in the code is not the other sessions' business
            self._failed(session_id, problem)

    async def _learn(self, session_id: str, state: Investigating, one: OwnWork) -> None:
        with self._guarded(session_id):
            await self._learn_unguarded(session_id, state, one)

    async def _learn_unguarded(self, session_id: str, state: Investigating, one: OwnWork) -> None:
        with self._around.traces.making(session_id, one) as span:
            input = await self._own_work(session_id, state, one)
            learned(span, input)
            traceparent = current_traceparent()
        id = report_id(input.type, one.id)
        self._put(session_id, Given(input=input, input_id=id, at=self._around.now(), traceparent=traceparent))

    def _own_work(self, session_id: str, state: Investigating, one: OwnWork) -> Coroutine[object, object, OwnInput]:
        match one:
            case OwedLlmCall():
                return make_llm_call(self._around, session_id, state, one)
            case OwedTools():
                return self._offer(one)
            case OwedPlace():
                return self._place(one)

    async def _place(self, one: OwedPlace) -> PlaceGiven:
        await self._around.places.wait(one.session_id, one.priority, one.since)
        return PlaceGiven()

    async def _offer(self, one: OwedTools) -> ToolsOffered:
        offer = await self._around.catalog.wait_for(one.servers, seconds=self._around.tools_seconds)
        return ToolsOffered(stage_id=one.id, tools=offer.tools, unavailable_servers=offer.unavailable_servers)

    def _tick(self) -> None:
        now, downtime = self._around.liveness.about_now, self._around.downtime
        for session_id, made in list(self._made.items()):
            with self._guarded(session_id):
                self._tick_session(session_id, list(made.values()), now, downtime)

    def _tick_session(self, session_id: str, made: Sequence[Made], now: datetime | None, downtime: Downtime) -> None:
        for one in made:
            if isinstance(one, Queued):
                self._step(session_id, one, now, downtime)
            elif isinstance(one, Timer):
                self._look(session_id, one, now, downtime)

    def _step(self, session_id: str, queued: Queued, now: datetime | None, downtime: Downtime) -> None:
        claim = queued.owed.claim
        dead = claim is not None and self._around.liveness.is_dead(claim.worker_id, since=claim.since)
        behind = now is not None and self._behind(now)
        match queued.step(self._around.monotonic(), now, worker_dead=dead, behind=behind, downtime=downtime):
            case Publish(owed=one, attempt=attempt):
                self._outbox.put(partial(self._request, session_id, one, attempt))
            case Tell(noticed=noticed):
                if isinstance(noticed, WorkerDied):
                    self._around.metrics.worker_died(noticed.worker_id)
                self._notice(session_id, noticed)
            case None:
                pass

    def _look(self, session_id: str, timer: Timer, now: datetime | None, downtime: Downtime) -> None:
        noticed = timer.step(self._around.monotonic(), now, downtime)
        if noticed is not None:
            self._notice(session_id, noticed.noticed)

    def _notice(self, session_id: str, noticed: WorkerDied | DeadlinePassed) -> None:
        log.warning("call.noticed", session_id=session_id, call_id=noticed.call_id, noticed=noticed.type)
        self._outbox.put(partial(self._tell, session_id, noticed))

    async def _request(self, session_id: str, one: QueuedCall, attempt: int) -> None:
        state = self._states.get(session_id)
        if state is None:
            return
        request, route = None, None
        with self._guarded(session_id):
            request = request_of(session_id, state, one, self._around.downtime)
            route = route_of(session_id, state, one, attempt)
        if request is None or route is None:
            return
        topics = self._around.publisher.topics
        topic = topics.tool_calls if isinstance(one, OwedToolCall) else topics.summaries
        id = derived_id("request", one.id, one.releases)
        await self._around.publisher.publish(
            topic,
            request,
            key=route.key,
            id=id,
            subject=session_id,
            partition=route.partition,
            traceparent=session_traceparent(session_id),
        )
        queue = topic.removeprefix(f"{topics.prefix}.")
        self._around.metrics.requests_published.labels(queue).inc()
        if attempt > 1:
            self._around.metrics.requests_republished.labels(queue).inc()

    async def _tell(self, session_id: str, noticed: WorkerDied | DeadlinePassed) -> None:
        """Into the owner's own inbox: it is decided behind everything that was reported before."""
        publisher = self._around.publisher
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
        await self._around.publisher.publish(
            self._around.publisher.topics.control,
            control,
            key=key,
            id=derived_id(control.type, key),
            subject=session_id,
            traceparent=session_traceparent(session_id),
        )


def _end(made: Made) -> None:
    if isinstance(made, asyncio.Task):
        made.cancel()
