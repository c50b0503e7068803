"""Reads that wait out an outage, with a reader that fails as told and a clock that only sleeping moves."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

import pytest
from aiokafka.errors import (
    KafkaConnectionError,
    KafkaError,
    KafkaTimeoutError,
    SaslAuthenticationFailed,
)
from aiokafka.structs import ConsumerRecord

from tarsy_bus.readers.at_offsets import RecordsGoneError
from tarsy_bus.readers.outage_retry import LONGEST_PAUSE_SECONDS, KafkaUnreachableError, TimeLimit, read_through_outages
from tarsy_bus.readers.partition_reader import Record

type Failure = KafkaError | OSError | RecordsGoneError


class FailingReader:
    """Each attempt gives so many records, and then fails; when no attempt is listed any more, none fails."""

    def __init__(self, *attempts: tuple[int, Failure], always: Failure | None = None) -> None:
        self.attempts = list(attempts)
        self.always = always
        self.asked: list[tuple[int, ...]] = []

    async def read(self, offsets: Sequence[int]) -> AsyncGenerator[Record]:
        self.asked.append(tuple(offsets))
        count, failure = self.attempts.pop(0) if self.attempts else (0 if self.always else len(offsets), self.always)
        for offset in offsets[:count]:
            yield record_at(offset)
        if failure is not None:
            raise failure


class Clock:
    def __init__(self) -> None:
        self.now = 100.0
        self.pauses: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds

    def limit(self, seconds: float) -> TimeLimit:
        return TimeLimit(ends_at=self.now + seconds, monotonic=lambda: self.now, sleep=self.sleep, draw=lambda: 0.0)


def record_at(offset: int) -> Record:
    return ConsumerRecord("topic", 0, offset, 0, 0, b"key", b"value", None, 3, 5, ())


async def offsets_of(reader: FailingReader, limit: TimeLimit, *offsets: int) -> list[int]:
    async with aclosing(read_through_outages(reader.read, offsets, limit)) as records:
        return [record.offset async for record in records]


async def test_after_an_outage_it_goes_on_with_what_is_missing() -> None:
    reader, clock = FailingReader((2, KafkaConnectionError()), (0, KafkaTimeoutError()), (1, OSError())), Clock()
    assert await offsets_of(reader, clock.limit(60), 3, 5, 8, 9) == [3, 5, 8, 9]
    assert reader.asked == [(3, 5, 8, 9), (8, 9), (8, 9), (9,)]


async def test_pauses_grow_to_a_bound_and_begin_anew_after_a_record() -> None:
    failing = [(0, KafkaConnectionError())] * 7
    reader, clock = FailingReader(*failing, (1, KafkaConnectionError())), Clock()
    await offsets_of(reader, clock.limit(600), 1, 2)
    *growing, after_a_record = clock.pauses
    assert growing == [0.2, 0.4, 0.8, 1.6, 3.2, LONGEST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS]
    assert after_a_record == growing[0]


async def test_at_the_limit_it_says_that_kafka_could_not_be_reached() -> None:
    reader, clock = FailingReader(always=KafkaConnectionError("10.0.0.7:9092")), Clock()
    with pytest.raises(KafkaUnreachableError, match="reached in time: KafkaConnectionError"):
        await offsets_of(reader, clock.limit(7), 1)
    assert sum(clock.pauses) == pytest.approx(7)


@pytest.mark.parametrize("final", [RecordsGoneError("gone"), SaslAuthenticationFailed("user")])
async def test_what_no_wait_can_mend_is_not_waited_for(final: Failure) -> None:
    reader, clock = FailingReader((0, KafkaConnectionError()), (0, final)), Clock()
    with pytest.raises(type(final)):
        await offsets_of(reader, clock.limit(60), 1)
    assert len(reader.asked) == 2
