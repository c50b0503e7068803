"""Reading spans of a topic again: parts of a partition that somebody knows by their offsets."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager

from aiokafka import TopicPartition

from tarsy_bus.client.client_lifecycle import start_client, stop_client
from tarsy_bus.client.connection import Bus, span_reader
from tarsy_bus.pacing import Pacer
from tarsy_bus.readers.partition_reader import PartitionReader, Record
from tarsy_contracts.events.heads import Span

AT_ONCE = 8
"""Consumers of a process. More would wait for each other's turn of the processor."""


class SpanReader:
    """One consumer, which begins with the first spans that are asked for."""

    def __init__(self, bus: Bus, topic: str) -> None:
        self._reader = PartitionReader(bus, topic, consumer=span_reader)
        self._topic = topic
        self._started = False

    async def read(self, partition: int, spans: Sequence[Span], take: Callable[[Record], None]) -> None:
        """Hands every record of the spans to `take`, in order; those that are no longer kept, or not yet, are left out.

        Others have their turn in between, also where `take` makes a state of thousands of events. Raises KafkaError or
        LogMismatchError.
        """
        if not self._started:
            await start_client(self._reader.consumer)
            self._started = True
        topic_partition = TopicPartition(self._topic, partition)
        first = (await self._reader.consumer.beginning_offsets([topic_partition]))[topic_partition]
        end = (await self._reader.consumer.end_offsets([topic_partition]))[topic_partition]
        pacer = Pacer(loops=AT_ONCE)
        for span in spans:
            starts, goals = {partition: max(span.first, first)}, {partition: min(span.last + 1, end)}
            async with aclosing(self._reader.between(starts, goals)) as found:
                async for records in found:
                    for record in records:
                        take(record)
                        await pacer.let_others_run()
        # Nothing is fetched meanwhile. Without an assignment aiokafka would ask for the metadata of all topics.
        self._reader.consumer.pause(*self._reader.consumer.assignment())

    async def stop(self) -> None:
        await stop_client(self._reader.consumer)


class SpanReaders:
    """Few readers for the whole process. Each is kept for the next who reads: to make one takes longer than to read.

    After a failure the reader is made anew.
    """

    def __init__(self, bus: Bus, topic: str, *, at_once: int = AT_ONCE) -> None:
        self._bus = bus
        self._topic = topic
        self._places = asyncio.Semaphore(at_once)
        self._idle: list[SpanReader] = []

    @asynccontextmanager
    async def running(self) -> AsyncIterator["SpanReaders"]:
        try:
            yield self
        finally:
            while self._idle:
                await self._idle.pop().stop()

    @asynccontextmanager
    async def borrowed(self) -> AsyncIterator[SpanReader]:
        """Waits for a reader. It is the caller's until the end of the block."""
        async with self._places:
            reader = self._idle.pop() if self._idle else SpanReader(self._bus, self._topic)
            try:
                yield reader
            except BaseException:
                await reader.stop()
                raise
            self._idle.append(reader)
