"""Feed of the session log: records are handed to the partitions that own them."""

from collections.abc import Callable, Sequence
from typing import Protocol

from tarsy_bus.acceptance import LogMismatchError
from tarsy_bus.pacing import Pacer
from tarsy_bus.readers.partition_reader import Record


class LogReader(Protocol):
    """One owned partition, from the side of its log."""

    def take_record(self, record: Record) -> None: ...


async def feed_records(
    records: Sequence[Record],
    owner_of: Callable[[int], LogReader | None],
    refuse: Callable[[int, str], None],
    pacer: Pacer,
) -> None:
    """Hands each record to the owner that its partition had when it was read, if that is still so.

    `refuse` gets the partition of a record that does not fit what its owner knows, and why; it has no owner then.

    Other tasks run in between. An orchestrator may lose a partition and get it back. The new owner reads from its own
    position, and would treat a record from further on as a gap.
    """
    when_read: dict[int, LogReader | None] = {}
    for record in records:
        when_read.setdefault(record.partition, owner_of(record.partition))
    for record in records:
        reader = when_read[record.partition]
        if reader is not None and owner_of(record.partition) is reader:
            try:
                reader.take_record(record)
            except LogMismatchError as problem:
                refuse(record.partition, str(problem))
        await pacer.let_others_run()
