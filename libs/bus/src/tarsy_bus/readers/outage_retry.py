"""Reads of single records that wait out an outage of Kafka, within a time limit.

One failed bootstrap says nothing of the records. Records that are gone stay gone: RecordsGoneError passes through.
"""

import asyncio
import random
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass

import structlog

from tarsy_bus.client.outages import KAFKA_ERRORS, passes
from tarsy_bus.errors import BusError
from tarsy_bus.readers.partition_reader import Record
from tarsy_bus.retries import Draw, draw_growing_pauses

log = structlog.get_logger(__name__)

FIRST_PAUSE_SECONDS = 0.2
LONGEST_PAUSE_SECONDS = 5.0

type Read = Callable[[Sequence[int]], AsyncGenerator[Record]]
"""Reads the records at these offsets."""


class KafkaUnreachableError(BusError):
    """Kafka gave no record until the limit. Its message can be shown to people and models.

    The operator brings Kafka back.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeLimit:
    """`ends_at` is a time of `monotonic`, whose seconds `sleep` and `bound` count too. `bound` ends an attempt."""

    ends_at: float
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    bound: Callable[[float], AbstractAsyncContextManager[object]] = asyncio.timeout
    draw: Draw = random.random

    def find_seconds_left(self) -> float:
        return max(0.0, self.ends_at - self.monotonic())

    def pauses(self) -> Iterator[float]:
        return draw_growing_pauses(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS, draw=self.draw)


async def read_through_outages(read: Read, offsets: Sequence[int], limit: TimeLimit) -> AsyncGenerator[Record]:
    """The records at these ascending offsets, each once. After a failure it continues with the missing ones.

    Raises KafkaUnreachableError at the limit, and errors of Kafka that no wait can mend.
    """
    missing = deque(offsets)
    pauses, reason = limit.pauses(), ""
    while missing:
        try:
            async with aclosing(read(tuple(missing))) as records:
                while missing:
                    async with limit.bound(limit.find_seconds_left()):
                        record = await anext(records)
                    missing.popleft()
                    pauses = limit.pauses()
                    yield record
        except KAFKA_ERRORS as problem:
            # A timeout is an OSError.
            if not passes(problem):
                raise
            left = limit.find_seconds_left()
            if left or not reason:
                # An attempt that the limit has cut short says less than the one before.
                reason = type(problem).__name__
            if not left:
                raise KafkaUnreachableError(f"Kafka could not be reached in time: {reason}") from problem
            pause = min(next(pauses), left)
            log.warning("kafka.read_failed", reason=reason, pause_seconds=round(pause, 1))
            await limit.sleep(pause)
