"""Beginning of a partition's ownership: what it has used is counted, it is put together, and its tasks run."""

import asyncio
from dataclasses import dataclass
from functools import partial

from tarsy_bus.client.connection import Bus
from tarsy_bus.log.head_store import HeadStore
from tarsy_bus.log.writer import LogWriter
from tarsy_bus.readers.partition_reader import Record, read_to_end
from tarsy_bus.readers.records import parse_record
from tarsy_bus.readers.span_readers import SpanReaders
from tarsy_orchestrator.effects.dependencies import Dependencies
from tarsy_orchestrator.partition.assembled_partition import AssembledPartition
from tarsy_orchestrator.partition.heads_partition import HeadsTopic
from tarsy_orchestrator.partition.memory.resting_states import RestingStates
from tarsy_orchestrator.partition.memory.session_table import SessionTable
from tarsy_orchestrator.partition.partition import Partition
from tarsy_service.supervision import SupervisedGroup


@dataclass(frozen=True, slots=True)
class Owned:
    partition: Partition
    task: "asyncio.Task[None]"


class TakeOver:
    """It holds what the partitions of a process share: readers, heads, and the states of sessions at rest."""

    def __init__(
        self,
        bus: Bus,
        *,
        deps: Dependencies,
        writer: LogWriter,
        readers: SpanReaders,
        heads: HeadsTopic,
        source: str,
    ) -> None:
        self._bus = bus
        self._deps = deps
        self._writer = writer
        self._readers = readers
        self._heads = heads
        self._source = source
        self._resting = RestingStates()

    async def begin(self, group: SupervisedGroup, number: int, heads: HeadStore) -> Owned:
        """Raises KafkaError."""
        await self._count_spendings(number, heads.beginning)
        sessions = SessionTable(heads, self._resting)
        assembled = AssembledPartition(
            number,
            bus=self._bus,
            deps=self._deps,
            writer=self._writer,
            readers=self._readers,
            sessions=sessions,
            heads=self._heads.partition(number, end=heads.end),
            position=heads.beginning,
            source=self._source,
        )
        task = group.start(f"partition-{number}", assembled.run())
        # The callback runs also when the task never did.
        task.add_done_callback(partial(_close_table, sessions))
        return Owned(assembled.partition, task)

    async def _count_spendings(self, number: int, position: int) -> None:
        """Counts what was used before the log is read on, and behind what the owner before has published."""
        spending = self._deps.catalog.spending

        def take(record: Record) -> None:
            if (found := parse_record(record)) is not None:
                spending.note(number, found.to_recorded_event())

        start = spending.next_of(number)
        if start is not None and start < position:
            await read_to_end(self._bus, self._bus.topics.sessions, {number: start}, take, until={number: position})


def _close_table(sessions: SessionTable, ended: "asyncio.Task[None]") -> None:
    sessions.close()
