"""Reader of the session log: the partitions of watched sessions, or all while somebody watches the list."""

import asyncio
import time
from collections.abc import Callable, Collection, Iterable
from datetime import UTC, datetime

import structlog
from aiokafka import TopicPartition
from opentelemetry.trace import Tracer

from tarsy_bus.acceptance import LastAccepted, LogMismatchError
from tarsy_bus.client.connection import Bus, live_reader
from tarsy_bus.client.outages import wait_out
from tarsy_bus.pacing import Pacer
from tarsy_bus.queues.lag import Lag, count_unread
from tarsy_bus.readers.partition_reader import PartitionReader, Record
from tarsy_bus.readers.records import Delivery, append_time, parse_record
from tarsy_bus.topics.kafka_rights import WEBSOCKET_GATEWAY
from tarsy_bus.topics.topics_admin import await_topics, cluster_id
from tarsy_bus.tracing import record_read_span
from tarsy_websocket_gateway.log.chains import LogChains
from tarsy_websocket_gateway.log.partitions_on_demand import PartitionsOnDemand, pause_after
from tarsy_websocket_gateway.messages.feed import Feed
from tarsy_websocket_gateway.messages.timeline_messages import STATUS_EVENTS, statuses
from tarsy_websocket_gateway.timeline.endings import HELD_EVENTS, Endings, Place
from tarsy_websocket_gateway.timeline.timeline_api import Beginning, TimelineApi, TimelineUnavailableError

log = structlog.get_logger(__name__)

ASK_AGAIN_SECONDS = 1.0
FULL_SECONDS = 0.02
MOST_ASKED = 1_000
LONGEST_ID = 200
"""No session has a longer one: the timeline would not answer for it."""

SUBJECT = "ce_subject"

type Accepted = Callable[[str], None]


class WatchedLog:
    """`run` reads, for ever. Unwatched sessions of a partition that is read cost a look at their id."""

    def __init__(self, bus: Bus, timeline: TimelineApi, feed: Feed, endings: Endings, tracer: Tracer) -> None:
        self._bus = bus
        self._timeline = timeline
        self._feed = feed
        self._endings = endings
        self._tracer = tracer
        self._chains: dict[int, LogChains[Delivery]] = {}
        self._followed: set[str] = set()
        self._unknown = asyncio.Event()
        self._lags: dict[int, Lag] = {}
        self._partitions: PartitionsOnDemand | None = None
        self._consumer: PartitionReader | None = None
        self.accepted: Accepted = lambda session_id: None
        """Called with the session of each event that was accepted, of those that are followed by name."""
        self.fell_behind: Callable[[], None] = lambda: None
        """Called when clients have to come again: what they follow is left then, and begins where the timeline is."""

    async def run(self, ready: asyncio.Event, heartbeat: Callable[[], None]) -> None:
        """Sets `ready` once it can follow sessions. Raises LogMismatchError when the timeline is another log's."""
        topic = self._bus.topics.sessions
        await await_topics(self._bus, WEBSOCKET_GATEWAY)
        beginning = await self._timeline.wait_for_beginning()
        await self._require_same_log(beginning)
        async with PartitionReader(self._bus, topic, heartbeat, consumer=live_reader).running() as follower:
            partitions = PartitionsOnDemand(follower, topic, heartbeat)
            await wait_out(f"the ends of {topic}", lambda: follower.check(beginning.positions))
            await partitions.begin(list(range(self._bus.layout.log_partitions)))
            self._partitions, self._consumer = partitions, follower
            ready.set()
            while True:
                records, began, pacer = await partitions.next(), time.monotonic(), Pacer()
                for record in records:
                    self._take_record(record)
                    await pacer.let_others_run()
                await self._pass_markers(partitions, {record.partition for record in records})
                for chains in list(self._chains.values()):
                    self._publish_accepted(chains.pass_position(chains.position))
                    if chains.list_unknown_sessions():
                        self._unknown.set()
                self._note_lags()
                await self._wait_for_capacity()
                if records:
                    await pause_after(began)

    def last(self, session_id: str, number: int) -> LastAccepted | None:
        """The last accepted event of a session that is followed, and was answered about."""
        chains = self._chains.get(number)
        return None if chains is None else chains.last(session_id)

    def follow(self, session_id: str, number: int) -> int:
        """From here on, where its partition is read. Returns the offset from which answers about it count."""
        self._followed.add(session_id)
        chains = self._chains.get(number)
        if chains is None:
            return 0
        chains.follow(session_id)
        return chains.since(session_id)

    def begin(self, session_id: str, number: int, position: int, known: LastAccepted | None) -> None:
        """Takes what the timeline knows of the session at its position, where reading of its partition may begin."""
        chains = self._chains.get(number)
        if chains is None:
            chains = self._start_partition(number, position)
        chains.follow(session_id)
        self._publish_accepted(chains.take_answer([session_id], position, {} if known is None else {session_id: known}))

    def leave(self, session_id: str, number: int) -> None:
        self._followed.discard(session_id)
        chains = self._chains.get(number)
        if chains is not None:
            chains.leave(session_id)
            self._stop_idle()

    def follow_all(self, beginning: Beginning) -> None:
        """All sessions, from where the timeline stands."""
        for number, position in beginning.positions.items():
            chains = self._chains.get(number)
            if chains is None:
                self._start_partition(number, position).follow_all(beginning.known.get(number))
            else:
                chains.follow_all()

    def leave_all(self) -> None:
        for chains in self._chains.values():
            chains.leave_all()
        self._stop_idle()

    def lag_seconds(self) -> float:
        return max((lag.seconds(self._count_unread(number)) for number, lag in self._lags.items()), default=0.0)

    def positions(self) -> dict[int, int]:
        """The next offset of each partition that is read."""
        return {number: chains.position for number, chains in self._chains.items()}

    async def ask_timeline(self) -> None:
        """Asks for ever about sessions that are not followed by name, while the list is watched."""
        while True:
            await self._unknown.wait()
            self._unknown.clear()
            asking = dict(self._chains)
            requested = {number: chains.list_unknown_sessions() for number, chains in asking.items()}
            names = [one for number in requested for one in requested[number] if len(one) <= LONGEST_ID][:MOST_ASKED]
            try:
                answer = await self._timeline.last_events(names)
            except TimelineUnavailableError as problem:
                log.warning("timeline.away", sessions=len(names), reason=str(problem))
                self._unknown.set()
                await asyncio.sleep(ASK_AGAIN_SECONDS)
                continue
            for number, chains in asking.items():
                named = [one for one in requested[number] if one in names or len(one) > LONGEST_ID]
                if self._chains.get(number) is chains:
                    self._publish_accepted(
                        chains.take_answer(named, answer.positions[number], answer.known.get(number, {}))
                    )
            if any(chains.list_unknown_sessions() for chains in self._chains.values()):
                self._unknown.set()
                await asyncio.sleep(FULL_SECONDS)

    async def _wait_for_capacity(self) -> None:
        """While the timeline does not answer, what waits for it must not grow."""
        while any(chains.full for chains in self._chains.values()):
            if any(chains.behind for chains in self._chains.values()):
                log.warning("log.begun_again", reason="the timeline is far ahead of this gateway")
                self.fell_behind()
            await asyncio.sleep(FULL_SECONDS)

    def _start_partition(self, number: int, position: int) -> LogChains[Delivery]:
        if self._partitions is None:
            raise RuntimeError("the log is read outside of run()")
        self._partitions.fetch(number, position)
        self._lags[number] = Lag(lambda: datetime.now(UTC))
        chains = self._chains[number] = LogChains(position)
        return chains

    def _stop_idle(self) -> None:
        for number in [number for number, chains in self._chains.items() if chains.idle]:
            del self._chains[number], self._lags[number]
            if self._partitions is not None:
                self._partitions.stop(number)

    def _take_record(self, record: Record) -> None:
        chains = self._chains.get(record.partition)
        if chains is None:
            return
        self._lags[record.partition].read(append_time(record))
        subject = subject_of(record)
        delivery = parse_record(record) if subject is None or chains.follows(subject) else None
        self._publish_accepted(chains.pass_position(record.offset + 1) if delivery is None else chains.take(delivery))

    def _publish_accepted(self, accepted: Iterable[Delivery]) -> None:
        for delivery in accepted:
            session_id, kind = delivery.envelope.subject, delivery.envelope.type
            end = Place(delivery.partition, delivery.offset) if kind in HELD_EVENTS else None
            if session_id in self._followed:
                recorded = delivery.to_recorded_event()
                self._endings.publish(session_id, self._feed.event(recorded), end)
                self.accepted(session_id)
                record_read_span(self._tracer, "show", recorded, datetime.now(UTC))
            elif kind in STATUS_EVENTS:
                self._endings.publish(session_id, statuses(delivery.to_recorded_event()), end)

    async def _pass_markers(self, partitions: PartitionsOnDemand, read: Collection[int]) -> None:
        """A transaction ends with an offset that holds no record. `read`: of these records came just now."""
        for number, chains in list(self._chains.items()):
            if number not in read and self._count_unread(number) > 0:
                position = await partitions.position(number)
                if self._chains.get(number) is chains:
                    self._publish_accepted(chains.pass_position(position))

    def _note_lags(self) -> None:
        for number, lag in self._lags.items():
            if self._count_unread(number) == 0:
                lag.mark_caught_up()

    def _count_unread(self, number: int) -> int:
        if self._consumer is None:
            return 0
        topic_partition = TopicPartition(self._bus.topics.sessions, number)
        return count_unread(self._consumer.consumer, topic_partition, self._chains[number].position)

    async def _require_same_log(self, beginning: Beginning) -> None:
        """Raises LogMismatchError."""
        topic = self._bus.topics.sessions
        cluster = await cluster_id(self._bus)
        if (beginning.cluster_id, beginning.topic) != (cluster, topic):
            raise LogMismatchError(
                f"the timeline shows topic {beginning.topic} of cluster {beginning.cluster_id}, but this gateway reads "
                f"topic {topic} of cluster {cluster}: TARSY_TIMELINE_URL or TARSY_KAFKA names the wrong one"
            )


def subject_of(record: Record) -> str | None:
    """The session that its header names: readers judge by the headers alone. None of a record without headers."""
    found: bytes | None = None
    for name, value in record.headers or ():
        if name == SUBJECT:
            found = value
    return None if found is None else found.decode(errors="replace")
