"""Leaders of partitions: one that no broker leads can be neither read nor written, and is no reason to stop others."""

from collections.abc import Collection

from aiokafka.admin import AIOKafkaAdminClient

from tarsy_bus.client.aiokafka_internals.cluster_metadata import leaders
from tarsy_bus.client.aiokafka_internals.connections import share_connections
from tarsy_bus.client.client_lifecycle import start_client, stop_client
from tarsy_bus.client.connection import Bus
from tarsy_bus.topics.cluster_topics import read_metadata

__all__ = ["leaders", "led_partitions"]


async def led_partitions(bus: Bus, topics: Collection[str], numbers: Collection[int]) -> frozenset[int]:
    """Those of the numbers whose partitions of all these topics have a leader. Raises KafkaError, also in an outage."""
    client = AIOKafkaAdminClient(**bus.client_arguments)
    share_connections(client, bus.connections)
    try:
        await start_client(client)
        metadata = await read_metadata(client, topics)
    finally:
        await stop_client(client)
    led = [{one["partition"] for one in topic["partitions"] if one["leader"] >= 0} for topic in metadata["topics"]]
    return frozenset(numbers).intersection(*led)
