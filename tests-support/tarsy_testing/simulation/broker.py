"""Kafka as a few lists: what was appended, who owns what, what was committed."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Literal, Protocol

from aiokafka import ConsumerRecord, TopicPartition
from aiokafka.partitioner import DefaultPartitioner

from tarsy_bus.readers.partition_reader import Record
from tarsy_contracts.wire.envelope import Headers
from tarsy_contracts.wire.topics import Topics
from tarsy_testing.simulation.virtual_time import Process

BEGINNING = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)
LOG_APPEND_TIME = 1
LONGEST_WAY_BACK_SECONDS = 4.0
FASTEST_SECONDS, SLOWEST_SECONDS = 0.001, 0.006

type OutageKind = Literal["refusing", "silent", "unacknowledged"]
"""refusing: every write fails at once. silent: it waits in the producer, and comes through at the end whether anybody
still waits for it or not. unacknowledged: the record lies there, and its producer hears so at the end. Nobody reads."""

type Entry = tuple[bytes | None, bytes | None, Headers]
type Sent = Callable[[str, Sequence[Entry]], None]
type Appended = Callable[[str, int, Sequence[Entry]], None]


class Reader(Protocol):
    """A consumer that waits for records."""

    def wake(self, place: TopicPartition) -> None: ...

    def wake_up(self) -> None: ...


class Member(Protocol):
    """A consumer in a group."""

    process: Process | None

    def assigned(self, places: frozenset[TopicPartition], generation: int) -> None: ...


@dataclass
class Group:
    """Eager rebalances: at each, everybody gets his partitions anew."""

    places: frozenset[TopicPartition]
    committed: dict[TopicPartition, int] = field(default_factory=dict)
    members: list[Member] = field(default_factory=list)
    generation: int = 0

    def join(self, member: Member) -> None:
        self.members.append(member)
        self._rebalance()

    def leave(self, gone: Callable[[Member], bool]) -> None:
        left = [member for member in self.members if not gone(member)]
        if len(left) < len(self.members):
            self.members = left
            self._rebalance()

    def _rebalance(self) -> None:
        self.generation += 1
        count = len(self.members)
        for place, member in enumerate(self.members):
            mine = frozenset(one for one in self.places if one.partition % count == place)
            member.assigned(mine, self.generation)


class Broker:
    """Stamps are LogAppendTime, of the virtual clock. Nothing is ever deleted or compacted.

    `before` is told of records when they are sent, `after` when they have been appended.
    """

    def __init__(self, topics: Topics, random: Random, clock: Callable[[], float]) -> None:
        self.topics = topics
        self.before: Sent = lambda topic, entries: None
        self.after: Appended = lambda topic, partition, entries: None
        self._random = random
        self._clock = clock
        self._partitions = {topic.name: topic.partitions for topic in topics.all()}
        # One session is played: with more, each recovery would only read more that is empty.
        self.log_partitions = 1
        log_topics = (topics.inbox, topics.sessions, topics.heads, topics.held)
        self._partitions |= dict.fromkeys(log_topics, self.log_partitions)
        self._records: dict[TopicPartition, list[Record]] = defaultdict(list)
        self._readers: dict[str, dict[int, Reader]] = defaultdict(dict)
        self._groups: dict[str, Group] = {}
        self.outage: OutageKind | None = None
        self._back = asyncio.Event()
        self._back.set()

    def goes(self, kind: OutageKind) -> None:
        self.outage = kind
        self._back.clear()

    def comes_back(self) -> None:
        self.outage = None
        self._back.set()
        for readers in self._readers.values():
            for reader in list(readers.values()):
                reader.wake_up()

    async def until_there(self) -> None:
        await self._back.wait()

    def now(self) -> datetime:
        return BEGINNING + timedelta(seconds=self._clock())

    def way_back(self) -> float:
        """Seconds until a client finds the broker again after an outage."""
        return self._random.uniform(0.0, LONGEST_WAY_BACK_SECONDS)

    def latency(self) -> float:
        return self._random.uniform(FASTEST_SECONDS, SLOWEST_SECONDS)

    def append(self, topic: str, partition: int | None, entries: Sequence[Entry]) -> tuple[TopicPartition, int]:
        """Where they lie: the place, and the offset of the first."""
        place = TopicPartition(topic, self._choose(topic, entries[0][0]) if partition is None else partition)
        records = self._records[place]
        first = len(records)
        stamp = int(self.now().timestamp() * 1000)
        for key, value, headers in entries:
            records.append(_record(place, len(records), stamp, key, value, headers))
        for reader in list(self._readers[topic].values()):
            reader.wake(place)
        return place, first

    def read(self, place: TopicPartition, position: int, most: int) -> list[Record]:
        if self.outage is not None:
            return []
        return self._records[place][position : position + most] if place in self._records else []

    def end(self, place: TopicPartition) -> int:
        return len(self._records[place]) if place in self._records else 0

    def everything(self, topic: str) -> list[Record]:
        places = [TopicPartition(topic, partition) for partition in range(self._partitions[topic])]
        return [record for place in places for record in self._records.get(place, [])]

    def listens(self, topic: str, reader: Reader) -> None:
        self._readers[topic][id(reader)] = reader

    def listens_no_more(self, reader: Reader) -> None:
        for readers in self._readers.values():
            readers.pop(id(reader), None)

    def group(self, name: str, topic: str) -> Group:
        if name not in self._groups:
            places = frozenset(TopicPartition(topic, partition) for partition in range(self._partitions[topic]))
            self._groups[name] = Group(places)
        return self._groups[name]

    def expel(self, process: Process) -> None:
        """Its groups have not heard of it for too long."""
        for group in self._groups.values():
            group.leave(lambda member: member.process is process)

    def _choose(self, topic: str, key: bytes | None) -> int:
        everywhere = list(range(self._partitions[topic]))
        found: int = DefaultPartitioner()(key or b"", everywhere, everywhere)
        return found


def _record(
    place: TopicPartition, offset: int, stamp: int, key: bytes | None, value: bytes | None, headers: Headers
) -> Record:
    return ConsumerRecord(
        topic=place.topic,
        partition=place.partition,
        offset=offset,
        timestamp=stamp,
        timestamp_type=LOG_APPEND_TIME,
        key=key,
        value=value,
        checksum=None,
        serialized_key_size=len(key or b""),
        serialized_value_size=len(value or b""),
        headers=tuple(headers),
    )
