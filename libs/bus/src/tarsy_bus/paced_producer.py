"""An aiokafka producer that asks for metadata with pauses, and shares its attempts to connect with other clients."""

from aiokafka import AIOKafkaProducer

from tarsy_bus.aiokafka_internals import pace_metadata, share_connections
from tarsy_bus.broker_connections import BrokerConnections


class PacedProducer(AIOKafkaProducer):  # type: ignore[misc]
    def __init__(self, *, connections: BrokerConnections, **settings: object) -> None:
        super().__init__(**settings)
        pace_metadata(self)
        share_connections(self, connections)
