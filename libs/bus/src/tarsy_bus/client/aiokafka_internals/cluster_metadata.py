"""Leaders and group as a consumer knows them, and how often a client asks for metadata."""

import asyncio
from collections import deque
from collections.abc import Collection, Iterable

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.cluster import ClusterMetadata

from tarsy_bus.client.aiokafka_internals.inner_client import inner_client

MOST_UPDATES, UPDATES_SECONDS = 5, 1.0
"""Limit of requests for metadata, and the seconds that it holds for. A client asks less at its start."""


def leaders(consumer: AIOKafkaConsumer, topic_partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
    """The brokers that lead these partitions, without those that nobody leads, as far as the consumer knows.

    While it lacks one for a partition that it has, its fetcher asks again and again.
    """
    found = {
        topic_partition: consumer._client.cluster.leader_for_partition(topic_partition)
        for topic_partition in topic_partitions
    }
    return {topic_partition: broker for topic_partition, broker in found.items() if broker is not None and broker >= 0}


def group_generation(consumer: AIOKafkaConsumer) -> int:
    """The generation of its group in which the consumer is a member; negative while it is none."""
    return int(consumer._coordinator.generation)


def pace_metadata(client: AIOKafkaProducer | AIOKafkaConsumer) -> None:
    """Bounds how often the client asks for metadata.

    aiokafka's fetcher asks again at once while a partition has no leader. With a broker that refuses connections it
    tried 2,600 times a second, and wrote a line about each.
    """
    inner = inner_client(client)
    update, began = inner._metadata_update, deque[float](maxlen=MOST_UPDATES)
    now = asyncio.get_running_loop().time

    async def update_paced(cluster: ClusterMetadata, topics: Collection[str] | None) -> bool:
        if len(began) == MOST_UPDATES:
            await asyncio.sleep(max(0.0, began[0] + UPDATES_SECONDS - now()))
        began.append(now())
        return bool(await update(cluster, topics))

    inner._metadata_update = update_paced
