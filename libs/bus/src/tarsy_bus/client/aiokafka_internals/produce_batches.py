"""Record batches of a producer, on their way to the broker."""

from collections.abc import Callable
from types import MethodType

from aiokafka import AIOKafkaProducer
from aiokafka.producer.message_accumulator import BatchBuilder, MessageAccumulator
from aiokafka.record.util import calc_crc32c

from tarsy_bus.client.aiokafka_internals.inner_client import copy_with_names

__all__ = ["BatchBuilder", "calc_crc32c", "rewrite_batches"]


def rewrite_batches(producer: AIOKafkaProducer, rewrite: Callable[[bytearray], bytes | bytearray]) -> None:
    """Sends each batch of the producer as `rewrite` returns it. `rewrite` is called once per batch.

    aiokafka compresses all batches of a producer, or none.
    """

    class Rewritten(BatchBuilder):  # type: ignore[misc]
        _buffer: bytes | bytearray | None

        def _build(self) -> bytes | bytearray:
            if self._buffer is None:
                self._buffer = rewrite(super()._build())
            return self._buffer

    accumulator: MessageAccumulator = producer._message_accumulator
    create = copy_with_names(MessageAccumulator.create_builder, BatchBuilder=Rewritten)
    accumulator.create_builder = MethodType(create, accumulator)
