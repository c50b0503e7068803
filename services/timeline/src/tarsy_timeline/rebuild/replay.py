"""Replay of partitions of the session log into the tables of a schema, up to given offsets."""

from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import batched

from prometheus_client import CollectorRegistry

from tarsy_bus.client.connection import Bus
from tarsy_bus.log.head_reading import read_heads
from tarsy_bus.log.head_store import HeadStore
from tarsy_bus.readers.partition_reader import PartitionReader, Record
from tarsy_timeline.database.pool import Database
from tarsy_timeline.metrics import Metrics
from tarsy_timeline.projection.checkpoint import ProjectionCheckpoint
from tarsy_timeline.projection.partition_projection import PartitionProjection
from tarsy_timeline.projection.resilient_writer import ResilientWriter

PROJECTED_AT_ONCE = 1_000
"""Spans of the log come out as with the smaller batches of a live projector (`move_session`)."""


@dataclass(frozen=True, slots=True)
class ReplayShare:
    """Partitions that one process replays: each up to before its goal. `trimmed`: those that begin in the middle."""

    goals: Mapping[int, int]
    trimmed: frozenset[int] = frozenset()


async def replay(bus: Bus, database: Database, share: ReplayShare, counted: Callable[[int], None]) -> None:
    """Goes on where the schema's checkpoint stands. `counted` is called with the number of events of each batch.

    Raises KafkaError, LogMismatchError, PositionMovedError, or what asyncpg raises.
    """
    checkpoint = ProjectionCheckpoint(database)
    writer = ResilientWriter(checkpoint, Metrics(CollectorRegistry()), lambda: datetime.now(UTC))
    starts = {number: await checkpoint.position(number) for number in share.goals}
    async with _open_heads_of(bus, share.trimmed) as heads:
        for number, store in heads.items():
            await checkpoint.keep_deleted(number, store.list_deleted())
        projections = {
            number: PartitionProjection(number, position, checkpoint, writer, heads.get(number))
            for number, position in starts.items()
        }
        async with PartitionReader(bus, bus.topics.sessions).running() as reader:
            await reader.check(starts)
            async with aclosing(reader.between(starts, share.goals)) as found:
                async for records in found:
                    for number, found_in_it in _group_by_partition(records).items():
                        for some in batched(found_in_it, PROJECTED_AT_ONCE, strict=False):
                            counted(len((await projections[number].publish_and_write(some)).accepted))


@asynccontextmanager
async def _open_heads_of(bus: Bus, partitions: Collection[int]) -> AsyncIterator[Mapping[int, HeadStore]]:
    heads = await read_heads(bus, partitions) if partitions else {}
    try:
        yield heads
    finally:
        for store in heads.values():
            store.close()


def _group_by_partition(records: list[Record]) -> Mapping[int, list[Record]]:
    found: defaultdict[int, list[Record]] = defaultdict(list)
    for record in records:
        found[record.partition].append(record)
    return found
