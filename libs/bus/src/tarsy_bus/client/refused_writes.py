"""Writes that Kafka did not take: what they become for callers, and what becomes of the producer."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError, UnknownError

from tarsy_bus.client.aiokafka_internals.client_tasks import send_task_died
from tarsy_bus.client.client_lifecycle import is_cancelled
from tarsy_bus.client.replaceable_producer import ReplaceableProducer
from tarsy_bus.errors import BusError


class NotWrittenError(BusError):
    """Kafka did not acknowledge the record in time. It may be written all the same: repeats must be harmless.

    The caller writes it again.
    """


class TooLargeError(BusError, ValueError):
    """The record is above the one limit of all topics. The caller sends a reference, or refuses the text."""


@asynccontextmanager
async def not_written_where_refused(
    producing: ReplaceableProducer, producer: AIOKafkaProducer, topic: str, partition: int | None
) -> AsyncIterator[None]:
    """Raises NotWrittenError for what aiokafka raises in the body."""
    try:
        yield
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
            producing.stop_compressing()
        if _needs_another_producer(producer, problem):
            await producing.replace(producer)
        raise NotWrittenError(f"{topic}: {problem!r}") from problem


def _needs_another_producer(producer: AIOKafkaProducer, problem: TimeoutError | KafkaError) -> bool:
    """This producer will write nothing any more."""
    if isinstance(problem, KafkaError):
        return not problem.retriable
    return send_task_died(producer)
