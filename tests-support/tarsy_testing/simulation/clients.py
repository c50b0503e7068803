"""A producer and a consumer that speak as aiokafka's do, to a broker that is a few lists."""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextvars import copy_context
from dataclasses import dataclass

from aiokafka import ConsumerRebalanceListener, TopicPartition
from aiokafka.errors import CommitFailedError, KafkaConnectionError
from aiokafka.structs import RecordMetadata

from tarsy_bus.client.connection import Bus, record_bytes
from tarsy_bus.readers.partition_reader import Record
from tarsy_contracts.wire.envelope import Headers
from tarsy_testing.simulation.broker import LOG_APPEND_TIME, Broker, Entry, Group
from tarsy_testing.simulation.virtual_time import PROCESS, Process

NOTICED_SECONDS = 0.5
"""So long a member that was expelled does not know of it."""


class Batch:
    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._size = 0

    def append(self, *, timestamp: int | None, key: bytes | None, value: bytes | None, headers: Headers) -> object:
        self.entries.append((key, value, headers))
        self._size += record_bytes(key, value, headers)
        return self

    def close(self) -> None:
        pass

    def size(self) -> int:
        return self._size

    def record_count(self) -> int:
        return len(self.entries)


class SimulatedProducer:
    """Records of one producer arrive in the order in which they were sent."""

    def __init__(self, broker: Broker, **settings: object) -> None:
        self._broker = broker
        self._process = PROCESS.get()
        self._arrives_at = 0.0

    async def start(self) -> None:
        pass

    async def stop(self) -> None:
        pass

    def create_batch(self) -> Batch:
        return Batch()

    async def send_and_wait(
        self, topic: str, value: bytes | None, *, key: bytes | None, headers: Headers, partition: int | None
    ) -> RecordMetadata:
        return await self._send(topic, partition, [(key, value, headers)])

    async def send_batch(self, batch: Batch, topic: str, *, partition: int) -> "asyncio.Future[RecordMetadata]":
        return asyncio.ensure_future(self._send(topic, partition, batch.entries))

    async def _send(self, topic: str, partition: int | None, entries: Sequence[Entry]) -> RecordMetadata:
        self._broker.before(topic, entries)
        if self._process is not None and self._process.halted:
            await asyncio.sleep(0)  # it comes back from here when it is thawed, or never
        if self._broker.outage is None:
            return await self._deliver(topic, partition, entries)
        # A caller that does not wait for it any longer cannot call it back.
        return await asyncio.shield(asyncio.ensure_future(self._deliver(topic, partition, entries)))

    async def _deliver(self, topic: str, partition: int | None, entries: Sequence[Entry]) -> RecordMetadata:
        await self._travel(topic)
        place, offset = self._broker.append(topic, partition, entries)
        self._broker.after(topic, place.partition, entries)
        await asyncio.sleep(0)
        if self._broker.outage == "unacknowledged":
            await self._broker.until_there()
        stamp = int(self._broker.now().timestamp() * 1000)
        return RecordMetadata(place.topic, place.partition, place, offset, stamp, LOG_APPEND_TIME, 0)

    async def _travel(self, topic: str) -> None:
        _must_be_known(self._process)
        if self._process is not None and self._process.forgetful and topic == self._broker.topics.heads:
            raise KafkaConnectionError("its heads never arrive")
        loop = asyncio.get_running_loop()
        self._arrives_at = max(self._arrives_at, loop.time()) + self._broker.latency()
        await asyncio.sleep(self._arrives_at - loop.time())
        _must_be_known(self._process)
        if self._broker.outage == "refusing":
            raise KafkaConnectionError("there is no broker")
        if self._broker.outage == "silent":
            await self._in_turn()
            _must_be_known(self._process)

    async def _in_turn(self) -> None:
        """Waiting records go out in the order in which they came, as soon as this client has found the broker again."""
        await self._broker.until_there()
        loop = asyncio.get_running_loop()
        if self._arrives_at < loop.time():
            self._arrives_at = loop.time() + self._broker.way_back()
        self._arrives_at = max(self._arrives_at, loop.time()) + self._broker.latency()
        await asyncio.sleep(self._arrives_at - loop.time())


@dataclass(slots=True)
class Coordinator:
    """The part of aiokafka's consumer that knows its group."""

    generation: int = -1


class Cluster:
    """The part of aiokafka's client that knows who leads a partition: the one broker."""

    def leader_for_partition(self, place: TopicPartition) -> int:
        return 1


class Client:
    cluster = Cluster()


class SimulatedConsumer:
    """With a group or without, as aiokafka's. A member that is expelled from its group reads on until it notices."""

    def __init__(self, broker: Broker, *, group_id: str | None = None, **settings: object) -> None:
        self.process = PROCESS.get()
        self._broker = broker
        self._group_id = group_id
        self._group: Group | None = None
        self._topic = ""
        self._started = False
        self._listener: ConsumerRebalanceListener | None = None
        self._positions: dict[TopicPartition, int] = {}
        self._paused: set[TopicPartition] = set()
        self._client = Client()
        self._coordinator = Coordinator()
        self._expelled_since: float | None = None
        self._context = copy_context()
        self._rebalancing: asyncio.Task[None] | None = None
        self._news: asyncio.Future[None] | None = None

    async def start(self) -> None:
        self._started = True
        self._join()

    async def stop(self) -> None:
        self._broker.listens_no_more(self)
        if self._group is not None:
            self._group.leave(lambda member: member is self)

    # With a group

    def subscribe(self, topics: Sequence[str], listener: ConsumerRebalanceListener | None = None) -> None:
        (self._topic,) = topics
        self._listener = listener
        self._join()

    def _join(self) -> None:
        if not self._started or not self._topic or self._group_id is None:
            return
        self._broker.listens(self._topic, self)
        self._group = self._broker.group(self._group_id, self._topic)
        self._group.join(self)

    def assigned(self, places: frozenset[TopicPartition], generation: int) -> None:
        loop = asyncio.get_running_loop()
        self._rebalancing = loop.create_task(self._rebalance(places, generation), context=self._context)

    async def _rebalance(self, places: frozenset[TopicPartition], generation: int) -> None:
        if self._listener is not None:
            await self._listener.on_partitions_revoked(set(self._positions))
        await asyncio.sleep(0)
        if self._group is None or generation != self._group.generation:
            return
        self._coordinator.generation = generation
        self._expelled_since = None
        self._paused.clear()
        self._positions = {place: self._group.committed.get(place, 0) for place in sorted(places)}
        if self._listener is not None:
            await self._listener.on_partitions_assigned(set(places))
        self._wake()

    def _notice(self) -> None:
        """Its heartbeat is answered with: you are not one of us. Then it joins again."""
        if self._group is None or self in self._group.members:
            return
        now = asyncio.get_running_loop().time()
        if self._expelled_since is None:
            self._expelled_since = now
        elif now - self._expelled_since >= NOTICED_SECONDS:
            self._expelled_since = None
            self._group.join(self)

    async def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
        _must_be_known(self.process)
        await asyncio.sleep(0)
        if self._broker.outage is not None:
            raise KafkaConnectionError("there is no broker")
        if (
            self._group is None
            or self not in self._group.members
            or self._coordinator.generation != self._group.generation
        ):
            raise CommitFailedError("another generation")
        if self.process is not None and self.process.forgetful:
            raise KafkaConnectionError("its commits never arrive")
        self._group.committed.update(offsets)

    async def committed(self, place: TopicPartition) -> int | None:
        _must_be_known(self.process)
        await asyncio.sleep(0)
        return None if self._group is None else self._group.committed.get(place)

    def pause(self, *places: TopicPartition) -> None:
        self._paused.update(places)

    def resume(self, *places: TopicPartition) -> None:
        self._paused.difference_update(places)
        self._wake()

    def paused(self) -> set[TopicPartition]:
        return self._paused

    # Without one

    def assign(self, places: Iterable[TopicPartition]) -> None:
        self._broker.listens_no_more(self)
        self._positions = dict.fromkeys(places, 0)
        for topic in {place.topic for place in self._positions}:
            self._broker.listens(topic, self)

    def seek(self, place: TopicPartition, offset: int) -> None:
        self._positions[place] = offset
        self._wake()

    def assignment(self) -> set[TopicPartition]:
        return set(self._positions)

    # Both

    def last_poll_timestamp(self, place: TopicPartition) -> int | None:
        """Nobody asks a simulated service whether it is ready."""
        return None

    async def position(self, place: TopicPartition) -> int:
        return self._positions[place]

    async def beginning_offsets(self, places: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        _must_be_known(self.process)
        await self._broker.until_there()
        await asyncio.sleep(self._broker.latency())
        return dict.fromkeys(places, 0)

    async def end_offsets(self, places: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        _must_be_known(self.process)
        await self._broker.until_there()
        await asyncio.sleep(self._broker.latency())
        return {place: self._broker.end(place) for place in places}

    async def getmany(
        self, *places: TopicPartition, timeout_ms: int, max_records: int
    ) -> dict[TopicPartition, list[Record]]:
        """Returns records of these partitions, or else of all."""
        _must_be_known(self.process)
        self._notice()
        found = self._fetch(max_records, places)
        if found:
            await asyncio.sleep(0)
            return found
        loop = asyncio.get_running_loop()
        self._news = loop.create_future()
        timer = loop.call_later(timeout_ms / 1000, self._wake)
        try:
            await self._news
        finally:
            timer.cancel()
        return self._fetch(max_records, places)

    def wake(self, place: TopicPartition) -> None:
        if place in self._positions and place not in self._paused:
            self._wake()

    def wake_up(self) -> None:
        self._wake()

    def _wake(self) -> None:
        if self._news is not None and not self._news.done():
            self._news.set_result(None)

    def _fetch(self, most: int, places: Collection[TopicPartition]) -> dict[TopicPartition, list[Record]]:
        found: dict[TopicPartition, list[Record]] = {}
        for place, position in self._positions.items():
            if place in self._paused or (places and place not in places):
                continue
            if records := self._broker.read(place, position, most):
                found[place] = records
        for place, records in found.items():
            self._positions[place] += len(records)
        return found


async def led_partitions(broker: Broker, bus: Bus, topics: Collection[str], numbers: Collection[int]) -> frozenset[int]:
    """The broker leads all, while it is there."""
    _must_be_known(PROCESS.get())
    await broker.until_there()
    await asyncio.sleep(broker.latency())
    return frozenset(numbers)


def _must_be_known(process: Process | None) -> None:
    """Raises KafkaConnectionError, once the run is over."""
    if process is not None and process.severed:
        raise KafkaConnectionError("the process is gone")
