"""A producer that can be replaced: an idempotent one that lost its place never finds it again (kafka.md 3.4)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog
from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError, OutOfOrderSequenceNumber, ProducerFenced

from tarsy_bus.connection import Bus, producer

log = structlog.get_logger(__name__)

STOP_SECONDS = 5.0
LOST_ITS_PLACE = (OutOfOrderSequenceNumber, ProducerFenced)


class Producing:
    """Owns one started producer at a time."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._current: AIOKafkaProducer | None = None
        self._replacing = asyncio.Lock()

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Producing"]:
        self._current = producer(self._bus)
        try:
            await self._current.start()
            yield self
        finally:
            await self._stop(self._current)
            self._current = None

    @property
    def current(self) -> AIOKafkaProducer:
        if self._current is None:
            raise RuntimeError("the producer is used outside of running()")
        return self._current

    async def replace(self, broken: AIOKafkaProducer) -> None:
        """A fresh producer in the place of `broken`; nothing when somebody else replaced it already."""
        async with self._replacing:
            if self._current is not broken:
                return
            fresh = producer(self._bus)
            await fresh.start()
            self._current = fresh
            log.warning("producer.replaced")
            await self._stop(broken)

    async def _stop(self, stopped: AIOKafkaProducer) -> None:
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await stopped.stop()
        except (TimeoutError, KafkaError):
            log.warning("producer.not_flushed", seconds=STOP_SECONDS)
