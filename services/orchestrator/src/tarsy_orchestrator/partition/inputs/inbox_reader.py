"""Reading of inbox records: each is an input that waits for its decision, or says why it cannot be decided."""

from collections.abc import Callable
from dataclasses import dataclass

import structlog

from tarsy_bus.readers.partition_reader import Record
from tarsy_bus.readers.records import delivery
from tarsy_contracts.alert import Alert
from tarsy_contracts.chain import ResolvedChain
from tarsy_contracts.events.recorded import UnknownTypeError, UnreadableValueError
from tarsy_contracts.messages.inputs import INPUTS, AlertReceived, AlertResolutionReported
from tarsy_contracts.skills import Skill
from tarsy_contracts.wire.envelope import Envelope, EnvelopeError
from tarsy_orchestrator.partition.decision_batch import PendingInput
from tarsy_orchestrator.partition.guarded_evolve import describe_error
from tarsy_session.decision_input import DecisionInput
from tarsy_session.downtime import NO_DOWNTIME, Downtime

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class UnreadableInput:
    """A record that no version can read, or that lies where no session of its name is."""

    record: Record
    why: str


@dataclass(frozen=True, slots=True)
class NewerInput:
    """A record whose type only newer code knows."""

    record: Record
    envelope: Envelope


@dataclass(frozen=True, slots=True)
class UnplannedInput:
    """An alert for which the configuration led to an error instead of a chain."""

    record: Record
    session_id: str
    why: str


type InboxOutcome = PendingInput | UnreadableInput | NewerInput | UnplannedInput


class InboxReader:
    """`plan` says by which chain an alert is investigated, `downtime` which time counts against no deadline, and
    `partition_of` where the inputs of a session lie. `skills`: those that plans name now, masked.
    """

    def __init__(
        self,
        plan: Callable[[Alert], ResolvedChain],
        partition_of: Callable[[str], int],
        downtime: Callable[[], Downtime] = lambda: NO_DOWNTIME,
        skills: Callable[[], tuple[Skill, ...]] = lambda: (),
    ) -> None:
        self._plan = plan
        self._partition_of = partition_of
        self._downtime = downtime
        self._skills = skills

    def read(self, record: Record) -> InboxOutcome:
        """Never raises."""
        try:
            found = delivery(record)
        except EnvelopeError as problem:
            return UnreadableInput(record, f"the envelope cannot be read: {problem}")
        if (own := self._partition_of(found.envelope.subject)) != record.partition:
            # Decided here, it would begin a second life of the session, in a log that nobody else reads for it.
            return UnreadableInput(
                record, f"it lies in partition {record.partition}, and its session in partition {own}"
            )
        try:
            taken = found.decode(INPUTS)
        except UnknownTypeError:
            return NewerInput(record, found.envelope)
        except UnreadableValueError as problem:
            return UnreadableInput(record, str(problem))
        envelope = found.envelope
        try:
            chain = self._plan(taken.alert) if isinstance(taken, AlertReceived) else None
        except Exception as problem:  # noqa: BLE001 - a mistake in the code is not the other sessions' business
            log.error("alert.not_planned", session_id=envelope.subject, **describe_error(problem))
            return UnplannedInput(record, envelope.subject, f"{type(problem).__name__} at its plan")
        context = DecisionInput(
            input=taken,
            input_id=envelope.id,
            at=found.appended_at,
            offset=record.offset,
            chain=chain,
            traceparent=envelope.traceparent,
            alert_id=envelope.subject if isinstance(taken, AlertReceived | AlertResolutionReported) else "",
            downtime=self._downtime(),
            skills=() if chain is None else self._skills(),
        )
        return PendingInput(envelope.subject, context, record)
