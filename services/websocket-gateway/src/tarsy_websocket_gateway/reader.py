"""Follows the log and the stream for ever, and hands what they bring to the hub."""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import structlog
from aiokafka import TopicPartition
from opentelemetry.trace import Tracer

from tarsy_bus.acceptance import LogMismatchError
from tarsy_bus.connection import Bus
from tarsy_bus.fetch_progress import uncounted
from tarsy_bus.kafka_rights import WEBSOCKET_GATEWAY
from tarsy_bus.lag import Lag, unread
from tarsy_bus.outages import wait_out
from tarsy_bus.pacing import Pacer
from tarsy_bus.partition_reader import GATHER_SECONDS, READ_RECORDS, PartitionReader, Record, parse_record
from tarsy_bus.records import Delivery, append_time
from tarsy_bus.topics_admin import check_topics, cluster_id
from tarsy_bus.tracing import record_read_span
from tarsy_contracts.chunks import CHUNKS
from tarsy_contracts.recorded import UnknownTypeError, UnreadableValueError
from tarsy_websocket_gateway.errors import WebsocketGatewayError
from tarsy_websocket_gateway.feed import Feed
from tarsy_websocket_gateway.history import History
from tarsy_websocket_gateway.hub import Hub
from tarsy_websocket_gateway.log_chains import LogChains
from tarsy_websocket_gateway.metrics import Metrics
from tarsy_websocket_gateway.streams import Call
from tarsy_websocket_gateway.timeline_api import Beginning, TimelineApi, TimelineUnavailableError

log = structlog.get_logger(__name__)

LOOK_BACK = timedelta(minutes=5)
"""The stream is read from so far back: the beginning of a running answer is there, as no call takes longer."""
UNWATCHED_SECONDS = 0.25
"""How long records gather while nobody watches: there are gateways beside which nobody ever does."""
ASK_AGAIN_SECONDS = 1.0
MOST_ASKED = 1_000
LONGEST_ID = 200
"""No session has a longer one: the timeline would not answer for it."""


class FellBehindError(WebsocketGatewayError):
    """The timeline is so far ahead that too much would have to wait. The caller begins again where it stands."""


class Reader:
    """Keeps the chains of open sessions and of those that ended lately, and asks the timeline about others."""

    def __init__(self, bus: Bus, timeline: TimelineApi, hub: Hub, metrics: Metrics, tracer: Tracer) -> None:
        self._bus = bus
        self._timeline = timeline
        self._hub = hub
        self._metrics = metrics
        self._tracer = tracer
        self._feed = Feed()
        self._chains: dict[int, LogChains[Delivery]] = {}
        self._unknown = asyncio.Event()
        self._lags: dict[int, Lag] = {}
        self._log: PartitionReader | None = None

    def last_number(self, session_id: str) -> int:
        """Number of the session's last accepted event; 0 if the session is not known."""
        known = [chains.last(session_id) for chains in self._chains.values()]
        return max((one.number for one in known if one is not None), default=0)

    def running(self, session_id: str) -> list[Call]:
        return self._feed.running(session_id)

    async def history(self, session_id: str, at_least: int) -> History:
        return await self._timeline.history(session_id, at_least)

    def lag_seconds(self) -> float:
        """Lag of the partition of the log that is furthest behind."""
        return max((lag.seconds(self._unread(number)) for number, lag in self._lags.items()), default=0.0)

    async def follow_log(self, caught_up: asyncio.Event, stepped: Callable[[], None] = uncounted) -> None:
        """Sets `caught_up` at the end as it is now. Raises LogMismatchError when the timeline is another log's."""
        await check_topics(self._bus, WEBSOCKET_GATEWAY)
        while True:
            await self._begin()
            try:
                async with PartitionReader(self._bus, self._bus.topics.sessions, stepped).running() as follower:
                    await self._follow(follower, caught_up)
            except FellBehindError:
                log.warning("log.begun_again", reason="the timeline is far ahead of this gateway")
                self._hub.drop_all()

    async def _begin(self) -> None:
        beginning = await self._timeline.beginning()
        await self._compare(beginning, self._bus.topics.sessions)
        self._lags = {number: Lag(lambda: datetime.now(UTC)) for number in beginning.positions}
        self._chains = {
            number: LogChains(position, beginning.known.get(number, {}))
            for number, position in beginning.positions.items()
        }

    async def _follow(self, follower: PartitionReader, caught_up: asyncio.Event) -> None:
        positions = {number: chains.position for number, chains in self._chains.items()}
        await wait_out(f"the ends of {self._bus.topics.sessions}", lambda: follower.check(positions))
        goals = await follower.ends(positions)
        follower.assign(positions)
        self._log = follower
        while True:
            if all(self._chains[number].position >= goal for number, goal in goals.items()):
                caught_up.set()
            pacer, records = Pacer(), await follower.next()
            for record in records:
                self._event(record)
                self._lags[record.partition].read(append_time(record))
                await pacer.let_others_run()
            for chains in self._chains.values():
                self._show(chains.passed(chains.position))
                if chains.asked_about():
                    self._unknown.set()
            for number, lag in self._lags.items():
                if self._unread(number) == 0:
                    lag.caught_up()
            await self._until_there_is_room()
            await self.pause(busy=len(records) >= READ_RECORDS or not caught_up.is_set())

    async def _until_there_is_room(self) -> None:
        """While the timeline does not answer, what waits for it must not grow. Raises FellBehindError."""
        while full := [chains for chains in self._chains.values() if chains.full]:
            if not all(chains.asked_about() for chains in full):
                raise FellBehindError
            await asyncio.sleep(GATHER_SECONDS)

    async def ask_timeline(self) -> None:
        """Asks for ever about sessions that are not known here. Others are shown meanwhile."""
        while True:
            await self._unknown.wait()
            self._unknown.clear()
            asking = self._chains
            asked = {number: chains.asked_about() for number, chains in asking.items()}
            names = [one for number in asked for one in asked[number] if len(one) <= LONGEST_ID]
            try:
                answer = await self._timeline.last_events(names[:MOST_ASKED])
            except TimelineUnavailableError as problem:
                log.warning("timeline.away", sessions=len(names), reason=str(problem))
                self._unknown.set()
                await asyncio.sleep(ASK_AGAIN_SECONDS)
                continue
            if asking is not self._chains:
                continue  # reading began again meanwhile: an older answer says nothing about that
            left = set(names[MOST_ASKED:])
            for number, chains in asking.items():
                known = answer.known.get(number, {})
                self._show(chains.answered(asked[number] - left, answer.positions[number], known))
            if left:
                self._unknown.set()

    async def follow_stream(self, stepped: Callable[[], None] = uncounted) -> None:
        topic = self._bus.topics.stream
        since = int((datetime.now(UTC) - LOOK_BACK).timestamp() * 1000)
        async with PartitionReader(self._bus, topic, stepped).running() as follower:
            ends = await follower.ends(await follower.partitions())
            places = [TopicPartition(topic, number) for number in ends]
            found = await wait_out(topic, lambda: follower.consumer.offsets_for_times(dict.fromkeys(places, since)))
            starts = {place.partition: found[place].offset for place in places if found[place]}
            follower.assign(ends | starts)
            while True:
                pacer, records = Pacer(), await follower.next()
                for record in records:
                    self._chunk(record)
                    await pacer.let_others_run()
                await self.pause(busy=len(records) >= READ_RECORDS)

    async def pause(self, *, busy: bool) -> None:
        """Lets records gather before the next read. While nobody watches it is for longer, or until somebody comes.

        `busy`: more waits to be read.
        """
        await asyncio.sleep(GATHER_SECONDS)
        if busy or self._hub.watched.is_set():
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(UNWATCHED_SECONDS):
                await self._hub.watched.wait()

    def _event(self, record: Record) -> None:
        delivery, chains = parse_record(record), self._chains[record.partition]
        accepted = chains.passed(record.offset + 1) if delivery is None else chains.take(delivery)
        self._show(accepted)

    def _show(self, accepted: Iterable[Delivery]) -> None:
        for delivery in accepted:
            recorded = delivery.recorded()
            self._hub.publish(delivery.envelope.subject, self._feed.event(recorded))
            record_read_span(self._tracer, "show", recorded, datetime.now(UTC))

    def _chunk(self, record: Record) -> None:
        delivery = parse_record(record)
        if delivery is None:
            return
        try:
            chunk = delivery.decode(CHUNKS)
        except (UnknownTypeError, UnreadableValueError):
            return
        self._metrics.chunks.inc()
        session_id = delivery.envelope.subject
        messages = self._feed.chunk(session_id, chunk, delivery.envelope.time, self.last_number(session_id))
        self._hub.publish(session_id, messages)

    def _unread(self, number: int) -> int:
        place = TopicPartition(self._bus.topics.sessions, number)
        return 0 if self._log is None else unread(self._log.consumer, place, self._chains[number].position)

    async def _compare(self, beginning: Beginning, topic: str) -> None:
        cluster = await cluster_id(self._bus)
        if (beginning.cluster_id, beginning.topic) != (cluster, topic):
            raise LogMismatchError(
                f"the timeline shows topic {beginning.topic} of cluster {beginning.cluster_id}, but this gateway reads "
                f"topic {topic} of cluster {cluster}: TARSY_TIMELINE_URL or TARSY_KAFKA names the wrong one"
            )
