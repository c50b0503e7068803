"""Appending to a partition that we lay out ourselves: each batch whole or not at all, one in flight per partition."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError

from tarsy_bus.client.aiokafka_internals.produce_batches import BatchBuilder
from tarsy_bus.client.client_lifecycle import is_cancelled
from tarsy_bus.client.connection import ENVELOPE_BYTES, Bus, record_bytes
from tarsy_bus.client.replaceable_producer import ReplaceableProducer
from tarsy_bus.errors import BusError
from tarsy_bus.metrics import observed
from tarsy_contracts.wire.envelope import Headers
from tarsy_contracts.wire.topics import LIMIT_BYTES

APPEND_SECONDS = 20.0


class AppendUncertainError(BusError):
    """No acknowledgement came: the batch may lie in the log or not. The caller reads on, and decides again."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A `value` of None is a tombstone; the session log has none."""

    key: bytes
    value: bytes | None
    headers: Headers

    @property
    def size(self) -> int:
        """Bytes in a batch, at most."""
        return record_bytes(self.key, self.value, self.headers)


BATCH_BYTES = LIMIT_BYTES - ENVELOPE_BYTES
"""Upper bound of the bytes of one batch's entries together."""


class LogWriter:
    """One for a process; each owned partition calls it from its own writer task, one call at a time."""

    def __init__(self, bus: Bus, topic: str | None = None) -> None:
        """`topic`: another than the session log."""
        self._bus = bus
        self._producing = ReplaceableProducer(bus, compress_large=False)
        self._topic = bus.topics.sessions if topic is None else topic

    @asynccontextmanager
    async def running(self) -> AsyncIterator["LogWriter"]:
        async with self._producing.running():
            yield self

    async def append(self, partition: int, entries: Sequence[LogEntry]) -> int:
        """The offset of the first entry; the others follow it without a gap. Raises AppendUncertainError.

        A batch above the limit is a ValueError; nothing of it was sent.
        """
        with observed(
            self._bus.wrote, self._bus.short(self._topic), {AppendUncertainError: "uncertain"}, records=len(entries)
        ):
            return await self._append_batch(partition, entries)

    async def _append_batch(self, partition: int, entries: Sequence[LogEntry]) -> int:
        producer = self._producing.current
        batch = _build_batch(producer, entries)
        try:
            async with asyncio.timeout(APPEND_SECONDS):
                metadata = await (await producer.send_batch(batch, self._topic, partition=partition))
        except asyncio.CancelledError as problem:
            if is_cancelled():
                raise
            await self._producing.replace(producer)
            raise AppendUncertainError("aiokafka gave the batch up") from problem
        except (TimeoutError, KafkaError) as problem:
            await self._producing.replace(producer)
            raise AppendUncertainError(repr(problem)) from problem
        offset: int = metadata.offset
        if offset < 0:
            raise AppendUncertainError("the broker has the batch already, and does not know where")
        return offset


def _build_batch(producer: AIOKafkaProducer, entries: Sequence[LogEntry]) -> BatchBuilder:
    """Closed, so that nothing else gets in. The size is looked at too: a first record is never too large for it."""
    batch = producer.create_batch()
    fits = [
        batch.append(timestamp=None, key=entry.key, value=entry.value, headers=entry.headers) is not None
        for entry in entries
    ]
    batch.close()
    if not entries or not all(fits) or batch.size() > LIMIT_BYTES:
        raise ValueError(
            f"a batch of {len(entries)} entries, {sum(one.size for one in entries)} bytes, was to be appended"
        )
    return batch
