"""Publishing one message of ours and knowing that it was written."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime

from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError, UnknownError
from aiokafka.structs import RecordMetadata

from tarsy_bus.client.aiokafka_internals.client_tasks import send_task_died
from tarsy_bus.client.client_lifecycle import is_cancelled
from tarsy_bus.client.connection import ENVELOPE_BYTES, Bus, record_bytes
from tarsy_bus.client.replaceable_producer import ReplaceableProducer
from tarsy_bus.errors import BusError
from tarsy_bus.metrics import WriteOutcome, observed
from tarsy_bus.tracing import current_traceparent
from tarsy_contracts.wire.envelope import Headers, envelope_of
from tarsy_contracts.wire.message import Message
from tarsy_contracts.wire.topics import LIMIT_BYTES, Topics

WRITE_SECONDS = 15.0


class NotWrittenError(BusError):
    """Kafka did not acknowledge the record in time. It may be written all the same: repeats must be harmless.

    The caller writes it again.
    """


def was_not_written(problem: Exception) -> bool:
    """For retries: writing it again is harmless, and may help."""
    return isinstance(problem, NotWrittenError)


class TooLargeError(BusError, ValueError):
    """The record is above the one limit of all topics. The caller sends a reference, or refuses the text."""


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
        try:
            async with asyncio.timeout(WRITE_SECONDS if self._write_seconds is None else self._write_seconds):
                metadata: RecordMetadata = await producer.send_and_wait(
                    topic, value, key=key, headers=headers, partition=partition
                )
        except AssertionError as problem:
            # aiokafka's own: somebody made the topic anew, with fewer partitions.
            raise NotWrittenError(f"{topic} has no partition {partition}") from problem
        except asyncio.CancelledError as problem:
            if is_cancelled():
                raise
            raise NotWrittenError(f"{topic}: aiokafka gave the record up") from problem
        except (TimeoutError, KafkaError) as problem:
            if isinstance(problem, UnknownError):
                # A broker that cannot load its native zstd library answers so, mostly because /tmp is mounted noexec.
                self._producing.stop_compressing()
            if _needs_another_producer(producer, problem):
                await self._producing.replace(producer)
            raise NotWrittenError(f"{topic}: {problem!r}") from problem
        if metadata.offset < 0:
            raise NotWrittenError(f"{topic}: the broker has the record already, and does not know where")
        return metadata


def _needs_another_producer(producer: AIOKafkaProducer, problem: TimeoutError | KafkaError) -> bool:
    """This producer will write nothing any more."""
    if isinstance(problem, KafkaError):
        return not problem.retriable
    return send_task_died(producer)
