"""A producer that can be replaced: an idempotent one that lost its place never finds it again."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog
from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError

from tarsy_bus.client.client_lifecycle import start_client, stop_client
from tarsy_bus.client.connection import Bus, producer

log = structlog.get_logger(__name__)


class ReplaceableProducer:
    """Owns one started producer at a time."""

    def __init__(self, bus: Bus, *, compress_large: bool) -> None:
        self._bus = bus
        self._compress_large = compress_large
        self._current: AIOKafkaProducer | None = None
        self._replacing = asyncio.Lock()

    @asynccontextmanager
    async def running(self) -> AsyncIterator["ReplaceableProducer"]:
        self._current = await self._start_producer()
        try:
            yield self
        finally:
            async with self._replacing:
                await stop_client(self.current)
                self._current = None

    @property
    def is_running(self) -> bool:
        return self._current is not None

    @property
    def current(self) -> AIOKafkaProducer:
        if self._current is None:
            raise RuntimeError("the producer is used outside of running()")
        return self._current

    def stop_compressing(self) -> None:
        """Producers that are made from now on send each batch as it is."""
        if self._compress_large:
            log.warning("producer.compression_given_up", reason="the broker may not know zstd")
        self._compress_large = False

    async def replace(self, broken: AIOKafkaProducer) -> None:
        """A fresh producer in the place of `broken`; nothing when somebody else replaced it already.

        If Kafka cannot be reached, `broken` stays: the next use fails and comes here again.
        """
        async with self._replacing:
            present = self._current
            if present is None or present is not broken:
                return
            try:
                fresh = await self._start_producer()
            except (OSError, KafkaError) as problem:
                log.warning("producer.not_replaced", reason=repr(problem))
                return
            self._current = fresh
            log.warning("producer.replaced")
            await stop_client(present)

    async def _start_producer(self) -> AIOKafkaProducer:
        fresh = producer(self._bus, compress_large=self._compress_large)
        try:
            await start_client(fresh)
        except BaseException:
            await stop_client(fresh)
            raise
        return fresh
