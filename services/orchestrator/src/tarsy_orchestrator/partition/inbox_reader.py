"""Reading inputs from the inbox: each becomes a waiting decision or a dead letter, or sets its session aside."""

from collections.abc import Callable

import structlog

from tarsy_bus.following import Record
from tarsy_bus.records import append_time, delivery
from tarsy_contracts.alert import Alert
from tarsy_contracts.chain import ResolvedChain
from tarsy_contracts.envelope import EnvelopeError
from tarsy_contracts.inputs import INPUTS, AlertReceived, DeadlinePassed
from tarsy_contracts.recorded import UnknownType, UnreadableValue
from tarsy_orchestrator.partition.decision_batch import PendingInput
from tarsy_orchestrator.partition.guarded_evolve import error_fields
from tarsy_orchestrator.partition.partition import Partition
from tarsy_orchestrator.session.decision_input import DecisionInput
from tarsy_orchestrator.session.downtime import NO_DOWNTIME, Downtime

log = structlog.get_logger(__name__)


class InboxReader:
    """`plan` says by which chain an alert is investigated, `downtime` which time counts against no deadline."""

    def __init__(
        self, plan: Callable[[Alert], ResolvedChain], downtime: Callable[[], Downtime] = lambda: NO_DOWNTIME
    ) -> None:
        self._plan = plan
        self._downtime = downtime

    def hand_over(self, record: Record, partition: Partition) -> None:
        partition.take(record.offset, append_time(record))
        try:
            found = delivery(record)
        except EnvelopeError as problem:
            partition.isolation.bury(record, "unreadable", f"the envelope cannot be read: {problem}")
            return
        try:
            taken = found.decode(INPUTS)
        except UnknownType:
            partition.isolation.not_known(record, found.envelope)
            return
        except UnreadableValue as problem:
            partition.isolation.bury(record, "unreadable", str(problem))
            return
        envelope = found.envelope
        try:
            chain = self._plan(taken.alert) if isinstance(taken, AlertReceived) else None
        except Exception as problem:  # noqa: BLE001 - a mistake in the code is not the other sessions' business
            log.error("alert.not_planned", session_id=envelope.subject, **error_fields(problem))
            partition.isolation.set_aside_with(
                record, envelope.subject, "decision", f"{type(problem).__name__} at its plan"
            )
            return
        given = DecisionInput(
            input=taken,
            input_id=envelope.id,
            at=found.appended_at,
            offset=record.offset,
            chain=chain,
            traceparent=envelope.traceparent,
            downtime=self._downtime() if isinstance(taken, DeadlinePassed) else NO_DOWNTIME,
        )
        partition.put(PendingInput(envelope.subject, given, record))
