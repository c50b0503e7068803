"""Producers and consumers as we want them: nothing committed by itself, every record bounded by one constant."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Protocol

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.coordinator.assignors.abstract import AbstractPartitionAssignor
from aiokafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor

from tarsy_bus.client.broker_answers import SILENT_SECONDS, BrokerAnswers
from tarsy_bus.client.broker_connections import BrokerConnections
from tarsy_bus.client.paced_producer import PacedProducer
from tarsy_bus.client.security import PLAINTEXT, KafkaSecurity, SecuritySettings, security_of
from tarsy_bus.client.tolerant_consumer import TolerantConsumer
from tarsy_bus.client.whole_batches import BatchConsumer
from tarsy_bus.metrics import Misplaced, Unparsable, Wrote, ignore_topic, ignore_write
from tarsy_contracts.wire.partitioning import partition_of
from tarsy_contracts.wire.topics import EVENTS_KEPT_MS, LIMIT_BYTES, LOG_PARTITIONS, Topics

REQUEST_TIMEOUT_MS = 20_000
QUIET_WAIT_MS = 5_000
"""The broker keeps a fetch of a quiet topic for so long; ten times the usual is a tenth of the requests."""
LONG_WAIT_MS = 2_000
"""For members of groups, which seek in partitions that they have after an outage: that waits for the open fetch."""
USUAL_WAIT_MS = 500
SHORT_WAIT_MS = 100
SPAN_WAIT_MS = 5
SPAN_FETCH_BYTES = 256 * 1024
"""A batch that is larger comes whole."""
MEMBERS_LOOK_MS = 10_000
"""How often members of groups ask which partitions their topic has. An owner that starts after somebody added some
writes there at once, and a call has a minute; aiokafka asks every five.
"""
ENVELOPE_BYTES = 16 * 1024
"""Part of LIMIT_BYTES that is kept free for headers and framing."""
RECORD_OVERHEAD_BYTES = 64
HEADER_OVERHEAD_BYTES = 8


@dataclass(slots=True)
class Layout:
    """How many partitions of inbox, log and heads are used, and of topics that somebody may have grown.

    `check_topics` puts here what the cluster has on record, what those topics have, and how long events are kept.
    `waits_for`: why the topics cannot be used yet, in a sentence; empty when they can.
    """

    log_partitions: int = LOG_PARTITIONS
    grown: Mapping[str, int] = field(default_factory=dict)
    events_kept_ms: int = EVENTS_KEPT_MS
    waits_for: str = ""


@dataclass(frozen=True, slots=True)
class Bus:
    """Kafka's address, and the names of our topics there. `client` names the process in the broker's logs.

    Session timeout and heartbeat (milliseconds) are those of consumer groups: a stock broker refuses less than 6,000.
    `wrote` is told of every write of ours, `unparsable` of every record that the client library does not parse.
    `misplaced` is told of every record that lies in another session's partition.
    All clients of the process share `connections`.
    """

    bootstrap: str
    topics: Topics
    client: str
    session_timeout_ms: int = 6_000
    heartbeat_ms: int = 1_000
    security: KafkaSecurity = PLAINTEXT
    wrote: Wrote = field(default=ignore_write, repr=False, compare=False)
    unparsable: Unparsable = field(default=ignore_topic, repr=False, compare=False)
    misplaced: Misplaced = field(default=ignore_topic, repr=False, compare=False)
    layout: Layout = field(default_factory=Layout, repr=False, compare=False)
    connections: BrokerConnections = field(default_factory=BrokerConnections, repr=False, compare=False)

    @property
    def client_arguments(self) -> dict[str, object]:
        """Every client of aiokafka is made with these: where Kafka is, who we are, and how that is secured."""
        return {"bootstrap_servers": self.bootstrap, "client_id": self.client, **self.security.client_arguments}

    @property
    def answers(self) -> BrokerAnswers:
        return self.connections.answers

    def unready_reasons(self) -> list[str]:
        """Why Kafka lets no service of this process work, in sentences for the operator."""
        reasons = [f"Kafka: {self.layout.waits_for}"] if self.layout.waits_for else []
        if (silent := self.answers.silent_seconds(time.monotonic())) > SILENT_SECONDS:
            reasons.append(f"Kafka at {self.bootstrap} has not answered for {silent:.0f} seconds")
        return reasons

    def log_partitions(self, topic: str) -> list[TopicPartition]:
        """The partitions of inbox, log or heads that are used."""
        return [TopicPartition(topic, number) for number in range(self.layout.log_partitions)]

    def partition_of(self, topic: str, key: bytes) -> int | None:
        """The partition of our record with this key; None for another system's topic."""
        ours = self.layout.grown.get(topic) or _partition_counts(self.topics, self.layout.log_partitions).get(topic)
        return None if ours is None else partition_of(key, ours)

    def partition_of_session(self, session_id: str) -> int:
        """The partition of its inputs, events and heads."""
        return partition_of(session_id.encode(), self.layout.log_partitions)

    def partitions(self, topic: str) -> int:
        """How many partitions of one of our topics we write to, however many it has."""
        return self.layout.grown.get(topic) or _partition_counts(self.topics, self.layout.log_partitions)[topic]

    def short(self, topic: str) -> str:
        """The topic's name without the prefix."""
        return topic.removeprefix(f"{self.topics.prefix}.")


@cache
def _partition_counts(topics: Topics, log_partitions: int) -> dict[str, int]:
    return {topic.name: topic.partitions for topic in topics.all(log_partitions)}


class KafkaSettings(SecuritySettings, Protocol):
    """The Kafka settings of a service."""

    @property
    def kafka(self) -> str: ...
    @property
    def topic_prefix(self) -> str: ...
    @property
    def client(self) -> str: ...
    @property
    def group_session_timeout_ms(self) -> int: ...
    @property
    def group_heartbeat_ms(self) -> int: ...


def bus_of(
    settings: KafkaSettings,
    wrote: Wrote = ignore_write,
    unparsable: Unparsable = ignore_topic,
    connections: BrokerConnections | None = None,
    misplaced: Misplaced = ignore_topic,
) -> Bus:
    """`connections`: those of the process, where it has more services than this one."""
    return Bus(
        bootstrap=settings.kafka,
        topics=Topics(settings.topic_prefix),
        client=settings.client,
        session_timeout_ms=settings.group_session_timeout_ms,
        heartbeat_ms=settings.group_heartbeat_ms,
        security=security_of(settings),
        wrote=wrote,
        unparsable=unparsable,
        misplaced=misplaced,
        connections=connections or BrokerConnections(),
    )


def producer(bus: Bus, *, compress_large: bool = False) -> AIOKafkaProducer:
    """Idempotent, acknowledged by all, no linger. The caller starts and stops it. Limits count before compression."""
    return PacedProducer(
        connections=bus.connections,
        compress_large=compress_large,
        **bus.client_arguments,
        enable_idempotence=True,
        acks="all",
        linger_ms=0,
        max_request_size=LIMIT_BYTES,
        max_batch_size=LIMIT_BYTES,
        request_timeout_ms=REQUEST_TIMEOUT_MS,
    )


def reader(bus: Bus) -> AIOKafkaConsumer:
    """A consumer without a group, for `assign` and `seek`. A deleted offset is an error, never a jump."""
    return _make_consumer(bus, TolerantConsumer)


def quiet_reader(bus: Bus) -> AIOKafkaConsumer:
    """The same, for a topic on which nothing may happen for long.

    Records come as fast as with `reader`: the broker answers when there are some. Another question of this consumer
    would wait behind its request, and so would a seek in a partition that it has. A changed assignment does not.
    """
    return _make_consumer(bus, TolerantConsumer, wait_ms=QUIET_WAIT_MS)


def span_reader(bus: Bus) -> AIOKafkaConsumer:
    """The same, for small parts of a partition here and there.

    Its requests do not wait at the broker for records to come: the next one would wait behind them.
    """
    return _make_consumer(bus, TolerantConsumer, wait_ms=SPAN_WAIT_MS, fetch_bytes=SPAN_FETCH_BYTES)


def live_reader(bus: Bus) -> AIOKafkaConsumer:
    """The same as `reader`, for partitions that are paused and resumed all the time.

    A partition that is resumed waits for the answer to the request that is on its way already.
    """
    return _make_consumer(bus, TolerantConsumer, wait_ms=SHORT_WAIT_MS)


def batch_reader(bus: Bus) -> AIOKafkaConsumer:
    """The same as `reader`, for whole batches."""
    return _make_consumer(bus, BatchConsumer)


def _make_consumer(
    bus: Bus, consumer: type[TolerantConsumer], *, wait_ms: int = USUAL_WAIT_MS, fetch_bytes: int = 2 * LIMIT_BYTES
) -> AIOKafkaConsumer:
    return consumer(
        unparsable=lambda topic: bus.unparsable(bus.short(topic)),
        connections=bus.connections,
        **bus.client_arguments,
        group_id=None,
        enable_auto_commit=False,
        auto_offset_reset="none",
        fetch_max_wait_ms=wait_ms,
        fetch_max_bytes=4 * LIMIT_BYTES,
        max_partition_fetch_bytes=fetch_bytes,
        request_timeout_ms=REQUEST_TIMEOUT_MS,
    )


def member(
    bus: Bus,
    group: str,
    *,
    assignor: type[AbstractPartitionAssignor] = StickyPartitionAssignor,
    wait_ms: int = LONG_WAIT_MS,
) -> AIOKafkaConsumer:
    """A member of a consumer group; sticky, so that a rebalance moves as little as it can.

    The client library never chooses its positions: callers say where reading begins (start_positions).
    A partition that is resumed waits up to `wait_ms`, until the broker has answered the open fetch of the others.
    """
    # aiokafka notes in the class what a member had: members of one process would take each other's notes for their own.
    own = type(assignor.__name__, (assignor,), {})
    return TolerantConsumer(
        unparsable=lambda topic: bus.unparsable(bus.short(topic)),
        connections=bus.connections,
        **bus.client_arguments,
        group_id=group,
        enable_auto_commit=False,
        auto_offset_reset="none",
        session_timeout_ms=bus.session_timeout_ms,
        heartbeat_interval_ms=bus.heartbeat_ms,
        partition_assignment_strategy=(own,),
        metadata_max_age_ms=MEMBERS_LOOK_MS,
        fetch_max_wait_ms=wait_ms,
        fetch_max_bytes=4 * LIMIT_BYTES,
        max_partition_fetch_bytes=2 * LIMIT_BYTES,
        request_timeout_ms=REQUEST_TIMEOUT_MS,
    )


def record_bytes(key: bytes | None, value: bytes | None, headers: Sequence[tuple[str, bytes]]) -> int:
    """Upper bound of the bytes that a record takes in a batch."""
    named = sum(len(name.encode()) + len(text) + HEADER_OVERHEAD_BYTES for name, text in headers)
    return len(key or b"") + len(value or b"") + named + RECORD_OVERHEAD_BYTES
