"""A producer that can be replaced: an idempotent one that lost its place never finds it again."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog
from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError

from tarsy_bus.connection import Bus, producer
from tarsy_bus.starting import start

log = structlog.get_logger(__name__)

STOP_SECONDS = 5.0


class Producing:
    """Owns one started producer at a time."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._current: AIOKafkaProducer | None = None
        self._replacing = asyncio.Lock()

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Producing"]:
        self._current = await self._started()
        try:
            yield self
        finally:
            async with self._replacing:
                await _stop(self.current)
                self._current = None

    @property
    def current(self) -> AIOKafkaProducer:
        if self._current is None:
            raise RuntimeError("the producer is used outside of running()")
        return self._current

    async def replace(self, broken: AIOKafkaProducer) -> None:
        """A fresh producer in the place of `broken`; nothing when somebody else replaced it already.

        When Kafka cannot be reached `broken` stays: whoever uses it fails again, and comes here again.
        """
        async with self._replacing:
            if self._current is not broken:
                return
            try:
                fresh = await self._started()
            except (OSError, KafkaError) as problem:
                log.warning("producer.not_replaced", reason=repr(problem))
                return
            self._current = fresh
            log.warning("producer.replaced")
            await _stop(broken)

    async def _started(self) -> AIOKafkaProducer:
        fresh = producer(self._bus)
        try:
            await start(fresh)
        except BaseException:
            await _stop(fresh)
            raise
        return fresh


async def _stop(stopped: AIOKafkaProducer) -> None:
    try:
        async with asyncio.timeout(STOP_SECONDS):
            await stopped.stop()
    except (TimeoutError, KafkaError):
        log.warning("producer.not_flushed", seconds=STOP_SECONDS)
        await _abandon(stopped)


async def _abandon(stopped: AIOKafkaProducer) -> None:
    """Ends what a `stop` leaves behind that could not flush: it would try to send for ever, each its own batch.

    There is no public way to do so in aiokafka 0.14.
    """
    sending = stopped._sender.sender_task
    await stopped.client.close()
    stopped._message_accumulator.fail_all(KafkaError("the producer was given up"))
    if sending is not None:
        sending.cancel()
        await asyncio.wait([sending], timeout=STOP_SECONDS)
