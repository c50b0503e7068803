"""Publishing one message of ours and knowing that it was written."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

from aiokafka.structs import RecordMetadata

from tarsy_bus.client.batched_writes import BatchedRecord, begin_batches
from tarsy_bus.client.connection import ENVELOPE_BYTES, Bus, record_bytes
from tarsy_bus.client.refused_writes import NotWrittenError, TooLargeError, not_written_where_refused
from tarsy_bus.client.replaceable_producer import ReplaceableProducer
from tarsy_bus.errors import BusError
from tarsy_bus.metrics import WriteOutcome, observed
from tarsy_bus.tracing import current_traceparent
from tarsy_contracts.wire.envelope import Headers, envelope_of
from tarsy_contracts.wire.message import Message
from tarsy_contracts.wire.topics import LIMIT_BYTES, Topics

__all__ = ["Addressed", "NotWrittenError", "Publisher", "TooLargeError", "was_not_written"]

WRITE_SECONDS = 15.0


def was_not_written(problem: Exception) -> bool:
    """For retries: writing it again is harmless, and may help."""
    return isinstance(problem, NotWrittenError)


@dataclass(frozen=True, slots=True)
class Addressed:
    """A message about the session, or whatever its key names."""

    message: Message
    key: str
    id: str
    traceparent: str | None = None


class Publisher:
    """For everything but the session log. `now` stamps the envelopes. Large records lie compressed in Kafka.

    `write_seconds`: how long a write may take; WRITE_SECONDS where it is not given.
    """

    def __init__(
        self, bus: Bus, *, source: str, now: Callable[[], datetime], write_seconds: float | None = None
    ) -> None:
        self._bus = bus
        self._producing = ReplaceableProducer(bus, compress_large=True)
        self._source = source
        self._now = now
        self._write_seconds = write_seconds
        self.topics: Topics = bus.topics

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Publisher"]:
        async with self._producing.running():
            yield self

    @property
    def is_running(self) -> bool:
        """A service listens before it is connected, and until after it was."""
        return self._producing.is_running

    @property
    def service(self) -> str:
        """The name of the service that publishes, without that of its process."""
        return self._source.removeprefix("tarsy/").partition("/")[0]

    def partitions(self, topic: str) -> int:
        """How many partitions of one of our topics are written to."""
        return self._bus.partitions(topic)

    async def publish(
        self,
        topic: str,
        message: Message,
        *,
        key: str,
        id: str,
        subject: str,
        partition: int | None = None,
        traceparent: str | None = None,
    ) -> RecordMetadata:
        """Returns when the record is acknowledged. `id` is derived from what caused the message.

        `traceparent` is that of the span around the call where none is given. Raises NotWrittenError or TooLargeError.
        """
        envelope = envelope_of(
            message,
            id=id,
            source=self._source,
            subject=subject,
            time=self._now(),
            traceparent=traceparent or current_traceparent(),
        )
        return await self.write(
            topic, key=key.encode(), value=message.to_bytes(), headers=envelope.headers(), partition=partition
        )

    async def begin_batches(self, topic: str, messages: Sequence[Addressed]) -> Awaitable[list[BusError]]:
        """One batch for each partition, in this order. Returns when the client has taken them all: what is begun later
        lies behind them. The result waits for the acknowledgements, and says why messages were not written.
        """
        records: defaultdict[int, list[BatchedRecord]] = defaultdict(list)
        for one in messages:
            key = one.key.encode()
            envelope = envelope_of(
                one.message,
                id=one.id,
                source=self._source,
                subject=one.key,
                time=self._now(),
                traceparent=one.traceparent,
            )
            records[self._bus.partition_of(topic, key) or 0].append(
                BatchedRecord(key, one.message.to_bytes(), envelope.headers())
            )
        seconds = WRITE_SECONDS if self._write_seconds is None else self._write_seconds
        return await begin_batches(self._bus, self._producing, topic, records, seconds)

    async def write(
        self, topic: str, *, key: bytes | None, value: bytes | None, headers: Headers, partition: int | None = None
    ) -> RecordMetadata:
        """A tombstone, a dead letter or a piece of a result, as it is. Raises NotWrittenError or TooLargeError."""
        failures: dict[type[Exception], WriteOutcome] = {NotWrittenError: "not_written", TooLargeError: "too_large"}
        with observed(self._bus.wrote, self._bus.short(topic), failures):
            return await self._write_record(topic, key=key, value=value, headers=headers, partition=partition)

    async def _write_record(
        self, topic: str, *, key: bytes | None, value: bytes | None, headers: Headers, partition: int | None
    ) -> RecordMetadata:
        size = record_bytes(key, value, headers)
        if size > LIMIT_BYTES - ENVELOPE_BYTES:
            raise TooLargeError(f"a record of {size} bytes for {topic} is above the limit of {LIMIT_BYTES}")
        if partition is None and key is not None:
            partition = self._bus.partition_of(topic, key)
        producer = self._producing.current
        async with not_written_where_refused(self._producing, producer, topic, partition):
            async with asyncio.timeout(WRITE_SECONDS if self._write_seconds is None else self._write_seconds):
                metadata: RecordMetadata = await producer.send_and_wait(
                    topic, value, key=key, headers=headers, partition=partition
                )
        if metadata.offset < 0:
            raise NotWrittenError(f"{topic}: the broker has the record already, and does not know where")
        return metadata
