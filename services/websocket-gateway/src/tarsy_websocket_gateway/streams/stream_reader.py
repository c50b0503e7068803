"""Reader of the stream: the partitions of watched sessions, from where their running calls may have begun."""

import asyncio
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import UTC, datetime, timedelta

from aiokafka import TopicPartition

from tarsy_bus.client.connection import Bus, live_reader
from tarsy_bus.client.outages import wait_out
from tarsy_bus.pacing import Pacer
from tarsy_bus.readers.partition_reader import PartitionReader, Record
from tarsy_contracts.messages.chunks import SO_FAR_SECONDS
from tarsy_service.supervision import Supervisor
from tarsy_websocket_gateway.log.partitions_on_demand import PartitionsOnDemand, pause_after
from tarsy_websocket_gateway.log.reader import subject_of
from tarsy_websocket_gateway.messages.feed import Feed
from tarsy_websocket_gateway.messages.outgoing import Outgoing, TextDelta, join_deltas
from tarsy_websocket_gateway.metrics import Metrics
from tarsy_websocket_gateway.streams.chunk_records import read_chunk
from tarsy_websocket_gateway.streams.stream_offsets import StreamOffsets

LOOK_BACK = timedelta(minutes=5)
"""Chunks are read from so far back at most: no call of a model takes longer."""
SKEW = timedelta(seconds=5)
"""The clocks of brokers and orchestrators may differ by so much."""
LOOK_FIRST = timedelta(seconds=SO_FAR_SECONDS + 1)
"""Mostly each running call has told within that all that it has said."""

type LastNumber = Callable[[str], int]
type Publish = Callable[[str, list[Outgoing]], None]


class StreamReader:
    """`run` reads, for ever, and moves partitions to where somebody needs them. Chunks of others are skipped."""

    def __init__(self, bus: Bus, feed: Feed, publish: Publish, metrics: Metrics) -> None:
        self._bus = bus
        self._feed = feed
        self._publish = publish
        self._metrics = metrics
        self._last_number: LastNumber = lambda session_id: 0
        self._offsets = StreamOffsets()
        self._since: dict[int, datetime] = {}
        self._beginnings: dict[str, datetime] = {}
        """Since when calls of a session may run whose beginning was not looked for yet."""
        self._replaying: set[str] = set()
        """Sessions of which text of before was read, that nobody was told of yet."""
        self._placed: set[str] = set()
        """Sessions whose text of before is being read."""
        self._rewound: set[str] = set()
        """Sessions that are read again, from before their calls began."""
        self._wanted = asyncio.Event()

    def watch(self, session_id: str, since: datetime | None) -> None:
        """From here on. `since`: no call of the session that streams now began earlier; None where none does."""
        now = datetime.now(UTC)
        begin = max(now - LOOK_BACK, (since or now) - SKEW)
        if begin < now - LOOK_FIRST:
            self._beginnings[session_id] = begin
        self._read_from(session_id, max(begin, now - LOOK_FIRST))

    def _read_from(self, session_id: str, begin: datetime) -> None:
        number = self._bus.partition_of(self._bus.topics.stream, session_id.encode()) or 0
        self._offsets.add_waiting(session_id, number)
        self._since[number] = min(begin, self._since.get(number, begin))
        self._wanted.set()

    def leave(self, session_id: str) -> None:
        self._offsets.forget(session_id)
        self._beginnings.pop(session_id, None)
        self._placed.discard(session_id)
        self._rewound.discard(session_id)
        self._replaying.discard(session_id)
        self._wanted.set()

    async def run(self, last_number: LastNumber, heartbeat: Callable[[], None]) -> None:
        topic = self._bus.topics.stream
        self._last_number = last_number
        async with (
            PartitionReader(self._bus, topic, heartbeat, consumer=live_reader).running() as follower,
            Supervisor().group() as group,
        ):
            partitions = PartitionsOnDemand(follower, topic, heartbeat)
            await partitions.begin(await follower.partitions())
            group.start("positions", self._place_for_ever(follower, partitions))
            while True:
                behind = self._placed | self._replaying
                records, began = await partitions.next(), time.monotonic()
                await self.show(records)
                self.tell_caught_up(partitions.positions, idle=behind if partitions.is_idle else ())
                if self._offsets.is_behind({one.partition: one.offset + 1 for one in records}):
                    # Clients wait for the rest of it, which is there already: nothing need gather.
                    await asyncio.sleep(0)
                elif records:
                    await pause_after(began)

    async def show(self, records: Iterable[Record]) -> None:
        """Publishes what clients get for these records: one message for text of one timeline event."""
        found: dict[str, list[Outgoing | TextDelta]] = {}
        pacer = Pacer()
        taken = 0
        for record in records:
            taken += self._take_chunk(record, found)
            if pacer.is_turn_over:
                # This text comes before what others publish then: the end of a call, or a text from its beginning.
                self._publish_all(found)
                await pacer.let_others_run()
        self._publish_all(found)
        self._metrics.chunks.inc(taken)

    def tell_caught_up(self, positions: Mapping[int, int], *, idle: Collection[str] = ()) -> None:
        """Tells texts of before that are read to their end. `idle`: sessions of which nothing is left to read, wherever
        the ends are.
        """
        self._placed |= self._feed.take_torn_sessions()
        read = self._replaying | self._placed
        for session_id in sorted(read.intersection(idle).union(self._offsets.list_caught_up(read, positions))):
            self._placed.discard(session_id)
            self._replaying.discard(session_id)
            self._look_for_beginnings(session_id)
            messages = join_deltas(self._feed.tell_caught_up(session_id))
            if messages:
                self._publish(session_id, messages)

    def _look_for_beginnings(self, session_id: str) -> None:
        """Once: all since the session's calls began is read where one of them has not told all that it has said."""
        if self._feed.knows_beginnings(session_id):
            self._beginnings.pop(session_id, None)
        elif (begin := self._beginnings.pop(session_id, None)) is not None:
            self._rewound.add(session_id)
            self._read_from(session_id, begin)
        else:
            self._feed.give_up_beginnings(session_id)

    def _publish_all(self, found: dict[str, list[Outgoing | TextDelta]]) -> None:
        for session_id, parts in found.items():
            self._publish(session_id, join_deltas(parts))
        found.clear()

    async def _place_for_ever(self, follower: PartitionReader, partitions: PartitionsOnDemand) -> None:
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            since, self._since = self._since, {}
            waiting = self._offsets.take_waiting()
            for number in partitions.positions.keys() - self._offsets.partitions() - since.keys():
                partitions.stop(number)
            offsets = await self._find_start_offsets(follower, since)
            for number, offset in offsets.items():
                if offset < partitions.positions.get(number, offset + 1):
                    partitions.fetch(number, offset)
            self._offsets.place_sessions(waiting, offsets)
            self._placed |= waiting
            for session_id in waiting & self._rewound:
                self._rewound.discard(session_id)
                self._feed.rewind(session_id)

    async def _find_start_offsets(self, follower: PartitionReader, since: dict[int, datetime]) -> dict[int, int]:
        """The first records from these times on, or else the ends."""
        if not since:
            return {}
        topic = self._bus.topics.stream
        times = {TopicPartition(topic, number): int(at.timestamp() * 1000) for number, at in since.items()}
        ends = await follower.ends(since)
        self._offsets.begin_live(ends)
        # Read after the ends: if nothing is found, records that come in between must lie behind them.
        found = await wait_out(topic, lambda: follower.consumer.offsets_for_times(times))
        return ends | {
            topic_partition.partition: found[topic_partition].offset
            for topic_partition in times
            if found[topic_partition]
        }

    def _take_chunk(self, record: Record, found: dict[str, list[Outgoing | TextDelta]]) -> bool:
        """Whether it is a chunk for somebody who watches."""
        session_id = subject_of(record)
        if session_id is None or not self._offsets.takes(session_id, record.offset):
            return False
        read = read_chunk(record)
        if read is None:
            return False
        chunk, sent_at = read
        replayed = self._offsets.is_replayed(record.partition, record.offset)
        if replayed:
            self._replaying.add(session_id)
        parts = self._feed.chunk(session_id, chunk, sent_at, self._last_number(session_id), replayed=replayed)
        if parts:
            found.setdefault(session_id, []).extend(parts)
        return True
