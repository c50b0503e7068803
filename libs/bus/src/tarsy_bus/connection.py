"""Producers and consumers as we want them: nothing committed by itself, every record bounded by one constant."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.coordinator.assignors.abstract import AbstractPartitionAssignor
from aiokafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor

from tarsy_bus.metrics import Wrote, uncounted
from tarsy_contracts.topics import LIMIT_BYTES, Topics

REQUEST_TIMEOUT_MS = 20_000
ENVELOPE_BYTES = 16 * 1024
"""What headers and framing may add to a value before a batch reaches LIMIT_BYTES."""
RECORD_OVERHEAD_BYTES = 64
HEADER_OVERHEAD_BYTES = 8


@dataclass(frozen=True, slots=True)
class Bus:
    """Where Kafka is, and under which names our topics lie there. `client` names the process in the broker's logs.

    Session timeout and heartbeat (milliseconds) are those of consumer groups: a stock broker refuses less than 6,000.
    `wrote` is told of every write of ours.
    """

    bootstrap: str
    topics: Topics
    client: str
    session_timeout_ms: int = 6_000
    heartbeat_ms: int = 1_000
    wrote: Wrote = field(default=uncounted, repr=False, compare=False)

    def short(self, topic: str) -> str:
        """The topic's name without the prefix."""
        return topic.removeprefix(f"{self.topics.prefix}.")


class KafkaSettings(Protocol):
    """What a service's settings say of Kafka."""

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


def bus_of(settings: KafkaSettings, wrote: Wrote = uncounted) -> Bus:
    return Bus(
        bootstrap=settings.kafka,
        topics=Topics(settings.topic_prefix),
        client=settings.client,
        session_timeout_ms=settings.group_session_timeout_ms,
        heartbeat_ms=settings.group_heartbeat_ms,
        wrote=wrote,
    )


def producer(bus: Bus) -> AIOKafkaProducer:
    """Idempotent, acknowledged by all, no linger. The caller starts and stops it."""
    return AIOKafkaProducer(
        bootstrap_servers=bus.bootstrap,
        client_id=bus.client,
        enable_idempotence=True,
        acks="all",
        linger_ms=0,
        max_request_size=LIMIT_BYTES,
        max_batch_size=LIMIT_BYTES,
        request_timeout_ms=REQUEST_TIMEOUT_MS,
    )


def reader(bus: Bus, *, reset: Literal["none", "earliest", "latest"] = "none") -> AIOKafkaConsumer:
    """A consumer without a group, for `assign` and `seek`. With `none`, a deleted offset is an error, never a jump."""
    return AIOKafkaConsumer(
        bootstrap_servers=bus.bootstrap,
        client_id=bus.client,
        group_id=None,
        enable_auto_commit=False,
        auto_offset_reset=reset,
        fetch_max_bytes=4 * LIMIT_BYTES,
        max_partition_fetch_bytes=2 * LIMIT_BYTES,
        request_timeout_ms=REQUEST_TIMEOUT_MS,
    )


def member(
    bus: Bus, group: str, *, assignor: type[AbstractPartitionAssignor] = StickyPartitionAssignor
) -> AIOKafkaConsumer:
    """A member of a consumer group; sticky, so that a rebalance moves as little as it can."""
    # aiokafka notes in the class what a member had: members of one process would take each other's notes for their own.
    own = type(assignor.__name__, (assignor,), {})
    return AIOKafkaConsumer(
        bootstrap_servers=bus.bootstrap,
        client_id=bus.client,
        group_id=group,
        enable_auto_commit=False,
        auto_offset_reset="earliest",
        session_timeout_ms=bus.session_timeout_ms,
        heartbeat_interval_ms=bus.heartbeat_ms,
        partition_assignment_strategy=(own,),
        fetch_max_bytes=4 * LIMIT_BYTES,
        max_partition_fetch_bytes=2 * LIMIT_BYTES,
        request_timeout_ms=REQUEST_TIMEOUT_MS,
    )


def record_bytes(key: bytes | None, value: bytes | None, headers: Sequence[tuple[str, bytes]]) -> int:
    """What a record takes in a batch, at most."""
    named = sum(len(name.encode()) + len(text) + HEADER_OVERHEAD_BYTES for name, text in headers)
    return len(key or b"") + len(value or b"") + named + RECORD_OVERHEAD_BYTES
