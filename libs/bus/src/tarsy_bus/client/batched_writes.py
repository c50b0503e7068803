"""Records of a topic that are written together: one batch for each partition, instead of a write for each record."""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass

from aiokafka import AIOKafkaProducer

from tarsy_bus.client.aiokafka_internals.produce_batches import BatchBuilder
from tarsy_bus.client.connection import ENVELOPE_BYTES, Bus, record_bytes
from tarsy_bus.client.refused_writes import NotWrittenError, TooLargeError, not_written_where_refused
from tarsy_bus.client.replaceable_producer import ReplaceableProducer
from tarsy_bus.errors import BusError
from tarsy_bus.metrics import WriteOutcome, observed
from tarsy_contracts.wire.envelope import Headers
from tarsy_contracts.wire.topics import LIMIT_BYTES

FAILURES: dict[type[Exception], WriteOutcome] = {NotWrittenError: "not_written", TooLargeError: "too_large"}
BATCH_BYTES = LIMIT_BYTES - ENVELOPE_BYTES


@dataclass(frozen=True, slots=True)
class BatchedRecord:
    key: bytes
    value: bytes
    headers: Headers

    @property
    def size(self) -> int:
        """Bytes in a batch, at most."""
        return record_bytes(self.key, self.value, self.headers)


@dataclass(frozen=True, slots=True)
class _Begun:
    """A batch that the client has taken. `written` is done when Kafka has acknowledged it."""

    partition: int
    records: int
    producer: AIOKafkaProducer
    written: "asyncio.Future[object]"


async def begin_batches(
    bus: Bus,
    producing: ReplaceableProducer,
    topic: str,
    records: Mapping[int, Sequence[BatchedRecord]],
    seconds: float,
) -> Awaitable[list[BusError]]:
    """`records` by partition. Returns when the client has taken all: what is begun later lies behind them.

    The result waits for the acknowledgements, at most so many seconds from now on, and says why some were not written.
    """
    until = asyncio.get_running_loop().time() + seconds
    begun: list[_Begun] = []
    problems: list[BusError] = []
    for partition, wanted in records.items():
        fitting = [one for one in wanted if one.size <= BATCH_BYTES]
        problems += [_refuse_large(bus, topic, one) for one in wanted if one.size > BATCH_BYTES]
        for batch in _pack(producing.current, fitting):
            try:
                begun.append(await _begin_batch(producing, topic, partition, batch, until))
            except NotWrittenError as problem:
                bus.wrote(bus.short(topic), "not_written", batch.record_count(), seconds)
                problems.append(problem)
    return _wait_for_all(bus, producing, topic, begun, problems, until)


def _refuse_large(bus: Bus, topic: str, record: BatchedRecord) -> TooLargeError:
    bus.wrote(bus.short(topic), "too_large", 1, 0.0)
    return TooLargeError(f"a record of {record.size} bytes for {topic} is above the limit of {LIMIT_BYTES}")


def _pack(producer: AIOKafkaProducer, records: Sequence[BatchedRecord]) -> list[BatchBuilder]:
    """In order; more than one where they are too large together."""
    batches: list[BatchBuilder] = []
    size = 0
    for record in records:
        if not batches or size + record.size > BATCH_BYTES:
            batches.append(producer.create_batch())
            size = 0
        batches[-1].append(timestamp=None, key=record.key, value=record.value, headers=record.headers)
        size += record.size
    for batch in batches:
        batch.close()  # so that nothing else gets in
    return batches


async def _begin_batch(
    producing: ReplaceableProducer, topic: str, partition: int, batch: BatchBuilder, until: float
) -> _Begun:
    """Raises NotWrittenError."""
    producer = producing.current
    async with not_written_where_refused(producing, producer, topic, partition), asyncio.timeout_at(until):
        written = await producer.send_batch(batch, topic, partition=partition)
    return _Begun(partition, batch.record_count(), producer, written)


async def _wait_for_all(
    bus: Bus,
    producing: ReplaceableProducer,
    topic: str,
    begun: Sequence[_Begun],
    problems: list[BusError],
    until: float,
) -> list[BusError]:
    for one in begun:
        try:
            with observed(bus.wrote, bus.short(topic), FAILURES, records=one.records):
                async with (
                    not_written_where_refused(producing, one.producer, topic, one.partition),
                    asyncio.timeout_at(until),
                ):
                    await one.written
        except NotWrittenError as problem:
            problems.append(problem)
    return problems
