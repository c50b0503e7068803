"""Records of the log reach who owned their partition when they were read, and others run in between."""

import asyncio
from dataclasses import dataclass, field

from aiokafka import ConsumerRecord

from tarsy_bus.acceptance import LogMismatchError
from tarsy_bus.pacing import Pacer
from tarsy_bus.readers.partition_reader import Record
from tarsy_orchestrator.partition.log_feed import feed_records


@dataclass(eq=False)
class Reader:
    taken: list[int] = field(default_factory=list)

    def take_record(self, record: Record) -> None:
        self.taken.append(record.offset)


def record(partition: int, offset: int) -> Record:
    return ConsumerRecord("log", partition, offset, 0, 0, b"key", b"value", None, 3, 5, ())


def refuse_nothing(partition: int, reason: str) -> None:
    raise AssertionError(reason)


def busy() -> Pacer:
    """After each record a turn has lasted long enough."""
    now = iter(range(1_000_000))
    return Pacer(lambda: float(next(now)))


async def test_each_partition_gets_its_own_records_in_order() -> None:
    readers: dict[int, Reader] = {0: Reader(), 1: Reader()}
    await feed_records([record(0, 5), record(1, 7), record(0, 6), record(2, 1)], readers.get, refuse_nothing, busy())
    assert (readers[0].taken, readers[1].taken) == ([5, 6], [7])


async def test_who_takes_over_while_others_run_is_not_given_what_was_read_for_another() -> None:
    """It reads from a position of its own: a record from further on would be a gap."""
    before, after, kept = Reader(), Reader(), Reader()
    readers: dict[int, Reader] = {0: before, 1: kept}

    async def rebalance() -> None:
        readers[0] = after

    task = asyncio.create_task(rebalance())
    await feed_records([record(0, 5), record(0, 6), record(1, 9), record(0, 7)], readers.get, refuse_nothing, busy())
    await task
    assert (before.taken, after.taken, kept.taken) == ([5], [], [9])


async def test_who_gave_its_partition_up_gets_no_more() -> None:
    reader = Reader()
    readers = {0: reader}

    async def give_up() -> None:
        del readers[0]

    task = asyncio.create_task(give_up())
    await feed_records([record(0, 5), record(0, 6)], readers.get, refuse_nothing, busy())
    await task
    assert reader.taken == [5]


async def test_a_record_that_does_not_fit_costs_its_own_partition_alone() -> None:
    class Mismatched(Reader):
        def take_record(self, record: Record) -> None:
            raise LogMismatchError(f"not at {record.offset}")

    refused: list[tuple[int, str]] = []
    other = Reader()
    readers: dict[int, Reader] = {0: Mismatched(), 1: other}

    def refuse(partition: int, reason: str) -> None:
        refused.append((partition, reason))
        del readers[partition]

    await feed_records([record(0, 5), record(0, 6), record(1, 7)], readers.get, refuse, busy())
    assert (refused, other.taken) == ([(0, "not at 5")], [7])
