"""One owned partition: inputs wait, are decided in batches, appended, read back, and only then acted upon."""

import asyncio
from collections.abc import Mapping, Sequence, Set
from datetime import datetime, timedelta
from typing import assert_never

from tarsy_bus.client.connection import Bus
from tarsy_bus.log.writer import LogWriter
from tarsy_bus.readers.held_sessions import HeldInputs
from tarsy_bus.readers.partition_reader import Record
from tarsy_bus.readers.records import parse_record
from tarsy_bus.readers.span_readers import SpanReaders
from tarsy_contracts.messages.workers import OwnedQueue
from tarsy_orchestrator.effects.action_ledger import ActionLedger
from tarsy_orchestrator.effects.spending_ledger import SpendingLedger
from tarsy_orchestrator.effects.tracing import SessionTraces
from tarsy_orchestrator.metrics import Metrics
from tarsy_orchestrator.partition.batch_append import append_batch
from tarsy_orchestrator.partition.decision_batch import (
    Decision,
    MakeDecisions,
    PendingInput,
    find_lost_decisions,
    unfold,
)
from tarsy_orchestrator.partition.decision_progress import Decisions
from tarsy_orchestrator.partition.head_writer import HeadWriter
from tarsy_orchestrator.partition.hop_stamps import note_decided, note_read
from tarsy_orchestrator.partition.input_queue import InputQueue
from tarsy_orchestrator.partition.inputs.inbox_progress import InboxProgress
from tarsy_orchestrator.partition.inputs.inbox_reader import InboxOutcome, NewerInput, UnplannedInput, UnreadableInput
from tarsy_orchestrator.partition.isolation.dead_letter_writer import DeadLetterWriter
from tarsy_orchestrator.partition.isolation.fault_isolation import EffectsPort, FaultIsolation
from tarsy_orchestrator.partition.isolation.quarantine import Quarantine
from tarsy_orchestrator.partition.log_progress import LogProgress
from tarsy_orchestrator.partition.memory.session_loader import SessionLoader
from tarsy_orchestrator.partition.memory.session_progress import INTAKE, SessionSteps
from tarsy_orchestrator.partition.memory.session_table import SessionTable
from tarsy_orchestrator.partition.recovery_gate import RecoveryGate
from tarsy_service.supervision import Supervisor
from tarsy_session.state import Unsupported

BACKLOG_AGE = timedelta(seconds=1)
MOST_WAITING = 2_000
"""Number of waiting inputs above which the inbox is paused."""


class Partition:
    """`position` is the offset of the log that is read next; `sessions` is what was read before.

    `_expected`: the events of the batch that is being appended, and whether each ends its decision.
    """

    def __init__(
        self,
        number: int,
        *,
        bus: Bus,
        sessions: SessionTable,
        position: int,
        writer: LogWriter,
        readers: SpanReaders,
        heads: HeadWriter,
        quarantine: Quarantine,
        dead_letters: DeadLetterWriter,
        effects: EffectsPort,
        metrics: Metrics,
        traces: SessionTraces,
        supervisor: Supervisor,
        decide: MakeDecisions,
        actions: ActionLedger,
        spending: SpendingLedger,
    ) -> None:
        self.number = number
        self.sessions = sessions
        self.log_progress = LogProgress(number, position)
        self.progress = InboxProgress(0)
        self.isolation = FaultIsolation(
            number,
            quarantine=quarantine,
            dead_letters=dead_letters,
            effects=effects,
            metrics=metrics,
            done=self._done,
            retry=lambda one: self._enqueue_first([one]),
        )
        self._recovery = RecoveryGate(sessions, self.isolation, effects)
        self._loader = SessionLoader(
            number,
            readers=readers,
            sessions=sessions,
            on_loaded=self._loaded,
            on_unsupported=self.isolation.set_aside_unsupported,
        )
        self._bus = bus
        self._writer = writer
        self._heads = heads
        self._effects = effects
        self._metrics = metrics
        self._traces = traces
        self._actions = actions
        self._spending = spending
        self._supervisor = supervisor
        self._make_decisions = decide
        self._inputs = InputQueue(sessions, self.isolation, self._loader)
        self._decisions_made = 0
        self._steps_made = 0
        self._wake = asyncio.Event()
        self._expected: dict[str, bool] = {}
        self._came_back: set[str] = set()

    def start_inbox(self, start: int, end: int, held: Mapping[str, HeldInputs]) -> None:
        """Inputs come from `start` on; all below `end` was reported before, and is decided before any effect starts.

        `held`: the sessions that are set aside, as the topic says.
        """
        self.progress = InboxProgress(start)
        self._inputs.drop_inbox()
        self._recovery.close(end)
        self.isolation.begin(held, self.sessions.open_sessions())
        for session_id, state in list(self.sessions.open_sessions().items()):
            if isinstance(state, Unsupported):
                self.isolation.set_aside_unsupported(session_id, state)
        self._recovery.open_if_due(self.progress)
        self._wake.set()

    def recover(self) -> None:
        """The partition came back: until its inbox is handed out again no effect starts, and those that run go on."""
        self._recovery.close()

    def accept(self, offset: int, at: datetime, outcome: InboxOutcome) -> None:
        """Takes over the inbox record at this offset: it is decided in its turn, or isolated. `at`: when it came."""
        self.progress.take(offset, at)
        self._inputs.last_read = at
        match outcome:
            case PendingInput():
                self.enqueue(note_read(self._metrics.hops, outcome, at) if self.recovered else outcome)
            case UnreadableInput(record, why):
                self.isolation.dead_letter(record, "unreadable", why)
            case NewerInput(record, envelope):
                self.isolation.hold_newer(record, envelope)
            case UnplannedInput(record, session_id, why):
                self.isolation.set_aside_with(record, session_id, "decision", why)
            case _:
                assert_never(outcome)

    def mark_drained(self) -> None:
        """All that the inbox holds for now was read."""
        self._inputs.last_read = None

    def skip_inbox_to(self, offset: int) -> None:
        """All inputs below were accepted."""
        self.progress.skip_to(offset)
        self._recovery.open_if_due(self.progress)

    @property
    def recovered(self) -> bool:
        """All is decided that was reported before its inbox was handed out; effects start."""
        return self._recovery.is_open

    def find_backlog_start(self, now: datetime) -> datetime | None:
        """When the oldest input came that waits, here or unread; None where none has waited for a while."""
        oldest = self._inputs.oldest
        return oldest if oldest is not None and now - oldest > BACKLOG_AGE else None

    def enqueue(self, waiting: PendingInput) -> None:
        self._inputs.add(waiting)
        self._wake.set()

    def queue(self, admitted: Set[str]) -> OwnedQueue:
        """`admitted`: the sessions of this process that have had their turn."""
        waiting = sum(
            self.sessions.is_investigated(session_id) and session_id not in self.isolation
            for session_id in self.sessions.open_sessions().keys() - admitted
        )
        return OwnedQueue(waiting=waiting, decided=self.progress.committable)

    @property
    def decisions(self) -> Decisions:
        return Decisions(self._decisions_made, waiting=self._inputs.backlog > 0)

    @property
    def steps(self) -> SessionSteps:
        return SessionSteps(self._steps_made, waiting=self._effects.has_unclaimed_calls)

    @property
    def is_full(self) -> bool:
        return self._inputs.backlog + self.isolation.backlog > MOST_WAITING

    def take_record(self, record: Record) -> None:
        """Takes the next record of the log. Raises LogMismatchError."""
        if record.offset < self.log_progress.next:
            return
        delivery = parse_record(record)
        accepted = self.sessions.accept(delivery) if delivery is not None else None
        self.log_progress.move_to(record.offset + 1)
        if accepted is None:
            self._metrics.records_dropped.inc()
            return
        session_id = accepted.record.session_id
        self._spending.note(self.number, accepted.record)
        self._actions.note(self.number, accepted.record.envelope.type, accepted.state)
        if accepted.record.envelope.id in self._expected:
            self._came_back.add(accepted.record.envelope.id)
            self._steps_made += accepted.record.envelope.type not in INTAKE
            self._metrics.record_event(accepted.record, accepted.opened_at)
            self._metrics.outcomes.record_event(accepted.record, accepted.state, accepted.opened_at)
            self._traces.record_event(accepted.record, accepted.state, accepted.opened_at)
        if accepted.head is not None:
            self._heads.put(session_id, accepted.head, accepted.replaced)
        if isinstance(accepted.state, Unsupported) and self._recovery.has_end:
            self.isolation.set_aside_unsupported(session_id, accepted.state, accepted.record.envelope.type)
        if accepted.state is not None:
            # Others run between the events of a decision: a call is owed before its own rejection is read.
            if self._expected.get(accepted.record.envelope.id, True):
                self._recovery.reconcile(session_id, accepted.state)
        elif accepted.head is not None and accepted.head.phase == "open":
            self._wake.set()

    async def run(self) -> None:
        """Decides for ever."""
        async with self._supervisor.group() as group:
            for name, work in self.isolation.tasks(self._resumed).items():
                group.start(f"partition-{self.number} {name}", work)
            while True:
                await self._wake.wait()
                self._wake.clear()
                for session_id in self.sessions.list_unloaded():
                    self._loader.load(session_id, group)
                await self._heads.wait_for_capacity()
                while ready := self._inputs.take_ready(group):
                    await self._decide(ready)
                    await self._heads.wait_for_capacity()

    def _enqueue_first(self, inputs: Sequence[PendingInput]) -> None:
        self._inputs.add_first(inputs)
        self._wake.set()

    def _loaded(self, session_id: str, inputs: Sequence[PendingInput]) -> None:
        """Effects of an open session are known now."""
        self._recovery.reconcile_open(session_id)
        self._enqueue_first(inputs)

    def _resumed(self, session_id: str) -> None:
        self._recovery.reconcile_open(session_id)
        self._wake.set()

    def _done(self, offset: int | None) -> None:
        """Has no effect when the inbox was started anew meanwhile."""
        if offset is not None:
            self.progress.mark_done(offset)
        self._recovery.open_if_due(self.progress)

    async def _decide(self, ready: Sequence[PendingInput]) -> None:
        decisions, left, undecided = self._make_decisions(ready, self.sessions.tail)
        self._inputs.add_first(unfold(left))
        for one in undecided:
            self.isolation.set_aside_undecided(one)
        entries = [entry for decision in decisions for entry in decision.entries]
        if entries:
            self._came_back = set()
            self._expected = {id: id == decision.last_id for decision in decisions for id in decision.ids}
            self._metrics.observe_batch(len(entries), sum(entry.size for entry in entries))
            note_decided(hops := self._metrics.hops, ready)
            with self._metrics.append_duration.time():
                end = await append_batch(self._bus, self._writer, self.number, entries, hops)
                await hops.time_work("read_back", self.log_progress.wait_until_caught_up(end))
            self._expected = {}
        lost = find_lost_decisions(decisions, self._came_back)
        for decision in decisions:
            if decision not in lost:
                self._finish(decision)
        self._metrics.decisions_lost.inc(len(lost))
        self._inputs.add_first(unfold(decision.waiting for decision in lost))
        self.sessions.unpin(one.session_id for one in ready)
        self._decisions_made += len(ready) - len(lost)

    def _finish(self, decision: Decision) -> None:
        waiting = decision.waiting
        if decision.unfit:
            for one in waiting.unfolded:
                self.isolation.drop_unfit(one, decision.unfit)
            return
        session_id, context = waiting.session_id, waiting.context
        state, request = self.sessions.state(session_id), waiting.operator_request
        if isinstance(state, Unsupported) and request is None and not decision.entries:
            # The input came between the unreadable event and the end of this batch.
            self.isolation.set_aside_unsupported(session_id, state)
            for one in waiting.unfolded:
                self.isolation.hold(one)
            return
        self._traces.record_decision(session_id, context)
        self._metrics.inputs_decided.labels(context.input.type).inc(len(waiting.unfolded))
        if request is not None:
            self.isolation.apply_request(request, waiting, state)
            return
        with self.isolation.guard(session_id):
            self._effects.reply(session_id, state, context.input)
        for one in waiting.unfolded:
            self._done(one.context.offset)
