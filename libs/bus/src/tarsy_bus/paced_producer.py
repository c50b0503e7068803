"""An aiokafka producer that asks for metadata with pauses."""

from aiokafka import AIOKafkaProducer

from tarsy_bus.aiokafka_internals import pace_metadata


class PacedProducer(AIOKafkaProducer):  # type: ignore[misc]
    def __init__(self, **settings: object) -> None:
        super().__init__(**settings)
        pace_metadata(self)
