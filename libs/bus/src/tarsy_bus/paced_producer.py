"""An aiokafka producer that asks for metadata with pauses, and may compress what is large."""

from aiokafka import AIOKafkaProducer

from tarsy_bus.aiokafka_internals import pace_metadata, rewrite_batches
from tarsy_bus.batch_compression import compressed


class PacedProducer(AIOKafkaProducer):  # type: ignore[misc]
    def __init__(self, *, compress_large: bool = False, **settings: object) -> None:
        super().__init__(**settings)
        pace_metadata(self)
        if compress_large:
            rewrite_batches(self, compressed)
