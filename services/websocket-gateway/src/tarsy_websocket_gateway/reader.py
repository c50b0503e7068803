"""Follows the log and the stream for ever, and hands what they bring to the hub."""

import asyncio
from datetime import UTC, datetime, timedelta

from aiokafka import TopicPartition
from opentelemetry.trace import Tracer

from tarsy_bus.acceptance import Chains, LogMismatch
from tarsy_bus.connection import Bus
from tarsy_bus.following import GATHER_SECONDS, Follower, Record, readable
from tarsy_bus.lag import Lag, unread
from tarsy_bus.outages import wait_out
from tarsy_bus.records import append_time
from tarsy_bus.topics_admin import check_topics, cluster_id
from tarsy_bus.tracing import note_reading
from tarsy_contracts.chunks import CHUNKS
from tarsy_contracts.recorded import UnknownType, UnreadableValue
from tarsy_contracts.topics import QUEUE_PARTITIONS
from tarsy_websocket_gateway.feed import Feed
from tarsy_websocket_gateway.history import History
from tarsy_websocket_gateway.hub import Hub
from tarsy_websocket_gateway.metrics import Metrics
from tarsy_websocket_gateway.streams import Call
from tarsy_websocket_gateway.timeline_api import Beginning, TimelineApi

LOOK_BACK = timedelta(minutes=5)
"""Of the stream, so that the beginning of an answer that is running now is there. Calls take no longer."""


class Reader:
    """Keeps every session's chain, watched or not: a subscriber may come for any of them."""

    def __init__(self, bus: Bus, timeline: TimelineApi, hub: Hub, metrics: Metrics, tracer: Tracer) -> None:
        self._bus = bus
        self._timeline = timeline
        self._hub = hub
        self._metrics = metrics
        self._tracer = tracer
        self._feed = Feed()
        self._chains: dict[int, Chains] = {}
        self._positions: dict[int, int] = {}
        self._lags: dict[int, Lag] = {}
        self._log: Follower | None = None

    def last_number(self, session_id: str) -> int:
        """Of the last accepted event of the session; 0 of one that is not known."""
        known = [chains.last(session_id) for chains in self._chains.values()]
        return max((one.number for one in known if one is not None), default=0)

    def running(self, session_id: str) -> list[Call]:
        return self._feed.running(session_id)

    async def history(self, session_id: str, at_least: int) -> History:
        return await self._timeline.history(session_id, at_least)

    def lag_seconds(self) -> float:
        """Of the partition of the log that is furthest behind."""
        return max((lag.seconds(self._unread(number)) for number, lag in self._lags.items()), default=0.0)

    async def follow_log(self, caught_up: asyncio.Event) -> None:
        """Sets `caught_up` at the end as it is now. Raises LogMismatch when the timeline is another log's."""
        await check_topics(self._bus)
        beginning = await self._timeline.beginning()
        topic = self._bus.topics.sessions
        await self._compare(beginning, topic)
        self._positions = positions = dict(beginning.positions)
        self._lags = {number: Lag(lambda: datetime.now(UTC)) for number in positions}
        self._chains = {number: Chains(known=beginning.known.get(number)) for number in positions}
        async with Follower(self._bus, topic).running() as follower:
            await wait_out(f"the ends of {topic}", lambda: follower.check(positions))
            goals = await follower.ends(positions)
            follower.assign(positions)
            self._log = follower
            while True:
                if all(positions[number] >= goal for number, goal in goals.items()):
                    caught_up.set()
                for record in await follower.next():
                    self._event(record)
                    positions[record.partition] = record.offset + 1
                    self._lags[record.partition].read(append_time(record))
                for number, lag in self._lags.items():
                    if self._unread(number) == 0:
                        lag.caught_up()
                await asyncio.sleep(GATHER_SECONDS)

    async def follow_stream(self) -> None:
        topic = self._bus.topics.stream
        places = [TopicPartition(topic, number) for number in range(QUEUE_PARTITIONS)]
        since = int((datetime.now(UTC) - LOOK_BACK).timestamp() * 1000)
        async with Follower(self._bus, topic).running() as follower:
            ends = await follower.ends(range(QUEUE_PARTITIONS))
            found = await wait_out(topic, lambda: follower.consumer.offsets_for_times(dict.fromkeys(places, since)))
            starts = {place.partition: found[place].offset for place in places if found[place]}
            follower.assign(ends | starts)
            while True:
                for record in await follower.next():
                    self._chunk(record)
                await asyncio.sleep(GATHER_SECONDS)

    def _event(self, record: Record) -> None:
        delivery = readable(record)
        if delivery is not None and self._chains[record.partition].accept(delivery.mark()):
            recorded = delivery.recorded()
            self._hub.publish(delivery.envelope.subject, self._feed.event(recorded))
            note_reading(self._tracer, "show", recorded, datetime.now(UTC))

    def _chunk(self, record: Record) -> None:
        delivery = readable(record)
        if delivery is None:
            return
        try:
            chunk = delivery.decode(CHUNKS)
        except (UnknownType, UnreadableValue):
            return
        self._metrics.chunks.inc()
        session_id = delivery.envelope.subject
        messages = self._feed.chunk(session_id, chunk, delivery.envelope.time, self.last_number(session_id))
        self._hub.publish(session_id, messages)

    def _unread(self, number: int) -> int:
        place = TopicPartition(self._bus.topics.sessions, number)
        return 0 if self._log is None else unread(self._log.consumer, place, self._positions[number])

    async def _compare(self, beginning: Beginning, topic: str) -> None:
        cluster = await cluster_id(self._bus)
        if (beginning.cluster_id, beginning.topic) != (cluster, topic):
            raise LogMismatch(
                f"the timeline shows topic {beginning.topic} of cluster {beginning.cluster_id}, but this gateway reads "
                f"topic {topic} of cluster {cluster}: TARSY_TIMELINE_URL or TARSY_KAFKA names the wrong one"
            )
