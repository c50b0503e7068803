"""An owned partition put together: what decides, what acts for it, and what writes beside it."""

from functools import partial

from tarsy_bus.client.connection import Bus
from tarsy_bus.log.writer import LogWriter
from tarsy_bus.readers.span_readers import SpanReaders
from tarsy_orchestrator.effects.dependencies import Dependencies
from tarsy_orchestrator.effects.reconciler import Reconciler
from tarsy_orchestrator.partition.decision_batch import PendingInput, make_decisions
from tarsy_orchestrator.partition.head_writer import HeadWriter
from tarsy_orchestrator.partition.heads_partition import HeadsPartition
from tarsy_orchestrator.partition.isolation.dead_letter_writer import DeadLetterWriter
from tarsy_orchestrator.partition.isolation.held_topic import HeldTopic
from tarsy_orchestrator.partition.isolation.quarantine import Quarantine
from tarsy_orchestrator.partition.memory.session_table import SessionTable
from tarsy_orchestrator.partition.partition import Partition


class AssembledPartition:
    """The reconciler hands its own inputs to the partition, and the partition the states to the reconciler."""

    def __init__(
        self,
        number: int,
        *,
        bus: Bus,
        deps: Dependencies,
        writer: LogWriter,
        readers: SpanReaders,
        sessions: SessionTable,
        heads: HeadsPartition,
        position: int,
        source: str,
    ) -> None:
        self._supervisor = deps.supervisor
        self._heads = HeadWriter(deps.publisher, heads)
        self._reconciler = Reconciler(
            number,
            deps,
            submit=lambda session_id, given: self.partition.enqueue(PendingInput(session_id, given)),
            undecided_since=lambda now: self.partition.find_backlog_start(now),
            on_failure=lambda session_id, problem: self.partition.isolation.set_aside_failed(session_id, problem),
        )
        self.partition = Partition(
            number,
            bus=bus,
            sessions=sessions,
            position=position,
            writer=writer,
            readers=readers,
            heads=self._heads,
            quarantine=Quarantine(HeldTopic(deps.publisher, bus, number)),
            dead_letters=DeadLetterWriter(deps.publisher),
            effects=self._reconciler,
            metrics=deps.metrics,
            traces=deps.traces,
            supervisor=deps.supervisor,
            decide=partial(
                make_decisions, source=source, gate=deps.catalog.gate, spendings=deps.catalog.spending.spendings
            ),
            actions=deps.catalog.ledger,
            spending=deps.catalog.spending,
        )

    async def run(self) -> None:
        name = f"partition-{self.partition.number}"
        async with self._supervisor.group() as group:
            group.start(f"{name} decisions", self.partition.run())
            group.start(f"{name} work", self._reconciler.run())
            group.start(f"{name} heads", self._heads.run())
