"""Leaders of partitions: one that no broker leads can be neither read nor written, and is no reason to stop others."""

from collections.abc import Collection

from tarsy_bus.aiokafka_internals import leaders
from tarsy_bus.connection import Bus
from tarsy_bus.topics_admin import admin

__all__ = ["leaders", "led_partitions"]


async def led_partitions(bus: Bus, topics: Collection[str], numbers: Collection[int]) -> frozenset[int]:
    """Those of the numbers whose partitions of all these topics have a leader. Raises KafkaError."""
    async with admin(bus) as client:
        described = await client.describe_topics(list(topics))
    led = [{one["partition"] for one in topic["partitions"] if one["leader"] >= 0} for topic in described]
    return frozenset(numbers).intersection(*led)
