"""Fault isolation of one partition: a session is set aside, or an input dead-lettered; all others go on."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from typing import Protocol

import structlog

from tarsy_bus.readers.held_sessions import HeldInputs
from tarsy_bus.readers.partition_reader import Record
from tarsy_contracts.messages.control import Control
from tarsy_contracts.messages.held import SessionSetAside
from tarsy_contracts.messages.inputs import INPUTS, Input, OperatorRequest, SessionFailRequested
from tarsy_contracts.wire.envelope import Envelope
from tarsy_orchestrator.metrics import AsideReason, BurialReason, Metrics
from tarsy_orchestrator.partition.decision_batch import PendingInput, Undecided
from tarsy_orchestrator.partition.guarded_evolve import describe_error
from tarsy_orchestrator.partition.isolation.dead_letter_writer import DeadLetterWriter
from tarsy_orchestrator.partition.isolation.quarantine import PendingRelease, Quarantine, UnwrittenInput
from tarsy_service.supervision import Work
from tarsy_session.operator_requests import is_accepted, minimal_end, operator_replies
from tarsy_session.state import NO_INPUT, Investigating, SessionState, Unsupported

log = structlog.get_logger(__name__)

MOST_DETAIL = 200
ASIDE = Unsupported(NO_INPUT)
"""A session that is set aside owes nothing."""


class EffectsPort(Protocol):
    """Port of the effects: acts on what came back from the log."""

    def reconcile(self, session_id: str, state: SessionState) -> None:
        """Starts what the session owes and nobody has started, and cancels what it owes no longer."""
        ...

    def reply(self, session_id: str, state: SessionState, decided: Input) -> None:
        """Publishes the replies to a decided input on control."""
        ...

    def send_control(self, session_id: str, controls: Sequence[Control]) -> None:
        """Publishes these on control."""
        ...

    @property
    def has_unclaimed_calls(self) -> bool:
        """A call lies in its queue, and no worker has claimed it."""
        ...


class FaultIsolation:
    """`done`: an input needs the inbox no longer. `retry`: an input is to be decided before all that wait."""

    def __init__(
        self,
        partition: int,
        *,
        quarantine: Quarantine,
        dead_letters: DeadLetterWriter,
        effects: EffectsPort,
        metrics: Metrics,
        done: Callable[[int | None], None],
        retry: Callable[[PendingInput], None],
    ) -> None:
        self._partition = partition
        self._quarantine = quarantine
        self._dead_letters = dead_letters
        self._effects = effects
        self._metrics = metrics
        self._done = done
        self._retry = retry

    def __contains__(self, session_id: str) -> bool:
        return session_id in self._quarantine

    def has_unwritten(self, session_id: str) -> bool:
        """Whether an input of a session that is set aside may not be held durably yet."""
        return self._quarantine.has_unwritten(session_id)

    def __len__(self) -> int:
        """How many sessions are set aside."""
        return len(self._quarantine)

    @property
    def held_since(self) -> list[datetime]:
        """The arrival of each input that is held."""
        return self._quarantine.held_since

    @property
    def backlog(self) -> int:
        return self._quarantine.backlog + self._dead_letters.backlog

    def begin(self, held: Mapping[str, HeldInputs], states: Mapping[str, SessionState]) -> None:
        """`held`: the sessions that are set aside, as the topic says when the inbox is started (anew).

        `states`: of open sessions. A session that only waited for this version goes on: an upgrade needs no operator.
        """
        self._quarantine.begin(held)
        for session_id in self._quarantine:
            self._effects.reconcile(session_id, ASIDE)
        for session_id, one in held.items():
            if _waits_for_this_code(one.why, states.get(session_id)):
                log.info("session.readable_again", session_id=session_id, reason=one.why.reason)
                self._quarantine.leave(session_id, PendingRelease(NO_INPUT, None, lambda: None))

    def tasks(self, resumed: Callable[[str], None]) -> Mapping[str, Work]:
        """The long-lived tasks, by name. `resumed` is called in the step in which a session is set aside no longer."""
        return {"quarantine": self._quarantine.run(resumed), "dead letters": self._dead_letters.run()}

    def dead_letter(self, record: Record, reason: BurialReason, why: str) -> None:
        """Dead-letters the input: nothing is decided on it."""
        self._metrics.count_dead_letter(reason)
        self._dead_letters.put(record, why, partial(self._done, record.offset))

    def set_aside(self, session_id: str, reason: AsideReason, detail: str) -> None:
        self._set_aside(session_id, reason, SessionSetAside(reason=reason, detail=detail[:MOST_DETAIL]))

    def _set_aside(self, session_id: str, reason: AsideReason, why: SessionSetAside) -> None:
        if self._quarantine.set_aside(session_id, why):
            log.error(
                "session.set_aside", session_id=session_id, reason=reason, detail=why.detail, partition=self._partition
            )
            self._metrics.count_set_aside(reason)
            self._effects.reconcile(session_id, ASIDE)

    def set_aside_with(self, record: Record, session_id: str, reason: AsideReason, detail: str) -> None:
        """Sets the session aside with this input: a decision on a later one would count it as decided."""
        self.set_aside(session_id, reason, detail)
        self._hold_input(session_id, record, partial(self.set_aside_with, record, session_id, reason, detail))

    def hold_newer(self, record: Record, envelope: Envelope) -> None:
        """Holds an input whose type only newer code knows."""
        needed = f"{envelope.type} version {envelope.version}"[:MOST_DETAIL]
        why = SessionSetAside(
            reason="newer_input", detail=needed, needs_type=envelope.type, needs_version=envelope.version
        )
        self._set_aside(envelope.subject, "newer_input", why)
        self._hold_input(envelope.subject, record, partial(self.hold_newer, record, envelope))

    def set_aside_unsupported(self, session_id: str, state: Unsupported, what: str = "an event of before") -> None:
        if state.raised:
            self.set_aside(session_id, "evolve", f"{state.raised} at {what}")
        else:
            self.set_aside(session_id, "newer_event", what)

    def set_aside_undecided(self, one: Undecided) -> None:
        """Sets the session aside with the input, if an earlier input has not done so."""
        session_id, type_ = one.waiting.session_id, one.waiting.context.input.type
        if one.problem is not None:
            log.error("input.not_decided", session_id=session_id, type=type_, **describe_error(one.problem))
            self.set_aside(session_id, "decision", f"{type(one.problem).__name__} at {type_}")
        self.hold(one.waiting)

    def drop_unfit(self, waiting: PendingInput, why: str) -> None:
        """Drops an input whose decision fits no batch."""
        log.error("input.unfit", session_id=waiting.session_id, type=waiting.context.input.type, reason=why)
        if waiting.record is not None:
            self.dead_letter(waiting.record, "too_large", why)
        else:
            self.set_aside(waiting.session_id, "decision", why)

    def hold(self, one: PendingInput) -> None:
        """Holds an input of a session that is set aside. The owner's own inputs come again when the session goes on."""
        if one.record is not None:
            self._hold_input(one.session_id, one.record, partial(self._retry, one))

    def apply_request(self, request: OperatorRequest, waiting: PendingInput, state: SessionState) -> None:
        """Acts on a decided request of an operator, also on one that was decided before: it may have got stuck."""
        context, offset = waiting.context, waiting.context.offset
        replies = operator_replies(state, request, context)
        self._effects.send_control(waiting.session_id, replies)
        if offset is None or not (context.aside and is_accepted(replies)):
            self._done(offset)
            return
        buried = None
        if isinstance(request, SessionFailRequested):
            self._metrics.count_dead_letter("ended")
            buried = minimal_end(request).error
        self._quarantine.leave(waiting.session_id, PendingRelease(offset, buried, partial(self._done, offset)))

    @contextmanager
    def guard(self, session_id: str) -> Iterator[None]:
        """Sets the session aside when the body raises."""
        try:
            yield
        except Exception as problem:  # noqa: BLE001 - a mistake in the code is not the other sessions' business
            self.set_aside_failed(session_id, problem)

    def set_aside_failed(self, session_id: str, problem: Exception) -> None:
        log.error("session.work_failed", session_id=session_id, **describe_error(problem))
        self.set_aside(session_id, "work", type(problem).__name__)

    def _hold_input(self, session_id: str, record: Record, retry: Callable[[], None]) -> None:
        log.warning("input.held", session_id=session_id, partition=self._partition, offset=record.offset)
        self._quarantine.hold(session_id, UnwrittenInput(record, partial(self._done, record.offset), retry))


def _waits_for_this_code(why: SessionSetAside, state: SessionState | None) -> bool:
    """`state`: None for a session that is not open: it is read only when somebody asks for it."""
    match why.reason:
        case "newer_event":
            return isinstance(state, Investigating)
        case "newer_input":
            known = INPUTS.get(why.needs_type)
            return known is not None and known.version >= why.needs_version and not isinstance(state, Unsupported)
        case _:
            return False
