"""An aiokafka producer that paces metadata, shares its attempts to connect, and may compress what is large."""

from aiokafka import AIOKafkaProducer

from tarsy_bus.client.aiokafka_internals.cluster_metadata import pace_metadata
from tarsy_bus.client.aiokafka_internals.connections import share_connections
from tarsy_bus.client.aiokafka_internals.produce_batches import rewrite_batches
from tarsy_bus.client.batch_compression import compress
from tarsy_bus.client.broker_connections import BrokerConnections


class PacedProducer(AIOKafkaProducer):  # type: ignore[misc]
    def __init__(self, *, connections: BrokerConnections, compress_large: bool = False, **settings: object) -> None:
        super().__init__(**settings)
        pace_metadata(self)
        share_connections(self, connections)
        if compress_large:
            rewrite_batches(self, compress)
