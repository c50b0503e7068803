"""Consumer-group membership of the inbox: the partitions that this process owns."""

import asyncio
from collections.abc import Callable

import structlog
from aiokafka import AIOKafkaConsumer, ConsumerRebalanceListener, TopicPartition

from tarsy_bus.client.aiokafka_internals.cluster_metadata import group_generation
from tarsy_bus.queues.start_positions import hold

log = structlog.get_logger(__name__)


class GroupMembership(ConsumerRebalanceListener):  # type: ignore[misc]
    """Rebalances are eager: everything is revoked and assigned anew, even when one member joins.

    "Revoked" therefore only stops handing out inputs. The next "assigned" tells which partitions did not come back.
    """

    def __init__(self, consumer: AIOKafkaConsumer, partitions: Callable[[], int]) -> None:
        """`partitions`: how many are used. Those that the group assigns above that are held, and never read."""
        self._consumer = consumer
        self._partitions = partitions
        self.generation = 0
        self.group_generation = 0
        self.assigned: frozenset[int] = frozenset()
        self.handing_out: set[int] = set()
        self.changed = asyncio.Event()

    async def on_partitions_revoked(self, revoked: set[TopicPartition]) -> None:
        self.handing_out.clear()
        self.generation += 1

    async def on_partitions_assigned(self, assigned: set[TopicPartition]) -> None:
        # First of all: records arrive before this callback has ended.
        hold(self._consumer, assigned)
        self.handing_out.clear()
        self.generation += 1
        self.group_generation = group_generation(self._consumer)
        self.assigned = frozenset(
            topic_partition.partition for topic_partition in assigned if topic_partition.partition < self._partitions()
        )
        log.info("partitions.assigned", partitions=sorted(self.assigned), generation=self.generation)
        self.changed.set()
