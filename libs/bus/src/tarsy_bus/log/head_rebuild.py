"""Rebuild of the heads of one partition from its log: what it would write, and the writing.

Reads heads first, then the log to an end behind all that they list. A head that the accepted log does not produce is
false. Tombstones and head of a session go in one batch, so that no reader finds neither.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime

from tarsy_bus.client.connection import Bus
from tarsy_bus.errors import BusError
from tarsy_bus.liveness.heartbeats import Announcements
from tarsy_bus.log.head_reading import read_heads
from tarsy_bus.log.head_replay import HeadReplay, is_same
from tarsy_bus.log.head_store import HeadStore
from tarsy_bus.log.writer import LogEntry, LogWriter
from tarsy_bus.readers.partition_reader import PartitionReader, read_to_end
from tarsy_contracts.events.heads import SessionHead, head_key, session_of_head_key
from tarsy_contracts.timing import DEAD_AFTER
from tarsy_contracts.wire.envelope import envelope_of
from tarsy_contracts.wire.ids import derive_id

SOURCE = "tarsy/heads-rebuild"
BATCH_BYTES = 1024 * 1024


class HeadsInUseError(BusError):
    """An orchestrator owns the partition, and writes its heads. The operator stops the orchestrators first."""


@dataclass(frozen=True, slots=True)
class HeadRebuild:
    """`misplaced` and `false` are keys that get a tombstone, `lacking` the heads that are written.

    `right`: how many heads are as the log has them.
    """

    partition: int
    misplaced: tuple[str, ...]
    false: tuple[str, ...]
    lacking: tuple[tuple[str, SessionHead], ...]
    right: int

    @property
    def is_needed(self) -> bool:
        return bool(self.misplaced or self.false or self.lacking)

    @property
    def is_safe_beside_owner(self) -> bool:
        """No owner of the partition ever writes the keys of misplaced heads."""
        return not self.false and not self.lacking

    @property
    def knows_log(self) -> bool:
        """Whether one of the heads that were there is of this log, or none is false."""
        return self.right > 0 or not self.false


async def plan_rebuild(bus: Bus, partition: int) -> HeadRebuild:
    """Writes nothing. Raises KafkaError or LogMismatchError."""
    with closing((await read_heads(bus, [partition]))[partition]) as listed:
        async with PartitionReader(bus, bus.topics.sessions).running() as asking:
            first = (await asking.firsts([partition]))[partition]
        replay = HeadReplay(first)
        with closing(replay.heads):
            _keep_trimmed(listed, replay.heads, first)
            await read_to_end(bus, bus.topics.sessions, {partition: first}, replay.take)
            return await asyncio.to_thread(_compare_heads, partition, listed, replay.heads)


def _keep_trimmed(listed: HeadStore, heads: HeadStore, first: int) -> None:
    """Heads at rest before the first kept record cannot be judged; heads of deleted sessions all lie there."""
    for session_id, head in listed.all():
        if head.phase == "rest" and head.offset < first:
            heads[session_id] = head


def _compare_heads(partition: int, listed: HeadStore, heads: HeadStore) -> HeadRebuild:
    false, right = [], 0
    for session_id, head in listed.all():
        of_log = heads.get(session_id)
        if is_same(head, of_log):
            right += 1
        elif of_log is None or of_log.number <= head.number:
            false.append(head_key(session_id, head.number))
    lacking = [(session_id, head) for session_id, head in heads.all() if not is_same(head, listed.get(session_id))]
    return HeadRebuild(partition, listed.misplaced, tuple(false), tuple(lacking), right)


async def write_rebuild(bus: Bus, plan: HeadRebuild, now: Callable[[], datetime]) -> None:
    """Raises AppendUncertainError; then another plan says what is left."""
    async with LogWriter(bus, bus.topics.heads).running() as writer:
        for entries in _group_into_batches(_entries_by_session(plan, now)):
            await writer.append(plan.partition, entries)


def _entries_by_session(plan: HeadRebuild, now: Callable[[], datetime]) -> Iterator[list[LogEntry]]:
    """Tombstones first: of two heads with one key the later one counts."""
    entries: defaultdict[str, list[LogEntry]] = defaultdict(list)
    for key in (*plan.misplaced, *plan.false):
        entries[session_of_head_key(key)].append(LogEntry(key.encode(), None, []))
    for session_id, head in plan.lacking:
        id = derive_id("head", session_id, head.number)
        envelope = envelope_of(head, id=id, source=SOURCE, subject=session_id, time=now())
        own_key = head_key(session_id, head.number).encode()
        entries[session_id].append(LogEntry(own_key, head.to_bytes(), envelope.headers()))
    yield from entries.values()


def _group_into_batches(sessions: Iterator[list[LogEntry]]) -> Iterator[Sequence[LogEntry]]:
    batch: list[LogEntry] = []
    for entries in sessions:
        if batch and sum(one.size for one in (*batch, *entries)) > BATCH_BYTES:
            yield batch
            batch = []
        batch += entries
    if batch:
        yield batch


async def check_unowned(bus: Bus, partition: int, seconds: float = DEAD_AFTER.total_seconds()) -> None:
    """Listens to the announcements for so long as a living orchestrator may be silent. Raises HeadsInUseError.

    One that refused the partition does not own it.
    """
    async with PartitionReader(bus, bus.topics.workers).running() as reader:
        reader.assign(await reader.ends([0]))
        announcements = Announcements()
        limit = asyncio.get_running_loop().time() + seconds
        while asyncio.get_running_loop().time() < limit:
            for record in await reader.next():
                sent = announcements.read(record)
                if sent is None or sent.service != "orchestrator" or sent.leaving:
                    continue
                if sent.queues is None or partition in sent.queues:
                    raise HeadsInUseError(
                        f"orchestrator {sent.name or sent.worker_id} owns partition {partition}, and writes its heads: "
                        "stop the orchestrators, or let another own the partition"
                    )
