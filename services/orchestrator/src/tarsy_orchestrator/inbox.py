"""Reading inputs from the inbox: each becomes a waiting decision, a dead letter, or is held for newer code."""

from collections.abc import Callable

import structlog

from tarsy_bus.dead_letters import bury_until_written
from tarsy_bus.following import Record
from tarsy_bus.publisher import Publisher
from tarsy_bus.records import append_time, delivery
from tarsy_contracts.alert import Alert
from tarsy_contracts.chain import ResolvedChain
from tarsy_contracts.envelope import EnvelopeError
from tarsy_contracts.inputs import INPUTS, AlertReceived, DeadlinePassed
from tarsy_contracts.recorded import UnknownType, UnreadableValue
from tarsy_orchestrator.deciding import Waiting
from tarsy_orchestrator.downtime import NO_DOWNTIME, Downtime
from tarsy_orchestrator.given import Given
from tarsy_orchestrator.partition import Partition

log = structlog.get_logger(__name__)


class InboxReader:
    """`plan` says by which chain an alert is investigated, `downtime` which time counts against no deadline."""

    def __init__(
        self,
        publisher: Publisher,
        plan: Callable[[Alert], ResolvedChain],
        downtime: Callable[[], Downtime] = lambda: NO_DOWNTIME,
    ) -> None:
        self._publisher = publisher
        self._plan = plan
        self._downtime = downtime

    async def hand_over(self, record: Record, partition: Partition) -> None:
        """Returns when the record is on its way to a decision, or safely among the dead letters."""
        partition.take(record.offset, append_time(record))
        try:
            found = delivery(record)
        except EnvelopeError as problem:
            await bury_until_written(self._publisher, record, f"the envelope cannot be read: {problem}")
            partition.buried(record.offset)
            return
        try:
            taken = found.decode(INPUTS)
        except UnknownType as problem:
            partition.leave_alone(found.envelope.subject, record.offset, str(problem), found.appended_at)
            return
        except UnreadableValue as problem:
            await bury_until_written(self._publisher, record, str(problem))
            partition.buried(record.offset)
            return
        chain = self._plan(taken.alert) if isinstance(taken, AlertReceived) else None
        envelope = found.envelope
        given = Given(
            input=taken,
            input_id=envelope.id,
            at=found.appended_at,
            offset=record.offset,
            chain=chain,
            traceparent=envelope.traceparent,
            downtime=self._downtime() if isinstance(taken, DeadlinePassed) else NO_DOWNTIME,
        )
        partition.put(Waiting(envelope.subject, given))
