"""New consumer groups that begin at the end of a topic: who reads for the first time is not told of the past."""

import structlog
from aiokafka import TopicPartition
from aiokafka.errors import CommitFailedError

from tarsy_bus.client.client_lifecycle import start_client, stop_client
from tarsy_bus.client.connection import Bus, member
from tarsy_bus.client.outages import wait_out
from tarsy_bus.queues.start_positions import hold, read_committed_offsets
from tarsy_bus.readers.partition_reader import all_partitions

log = structlog.get_logger(__name__)


async def begin_at_end(bus: Bus, topic: str, group: str) -> None:
    """Commits the end of each partition for a group that has committed nothing of the topic. Call it before joining.

    Another group stays as it is: in partitions that the topic got meanwhile it begins at their first record. Waits for
    Kafka, however long it is away. Raises KafkaError where that does not pass.
    """
    await wait_out(f"the beginning of group {group}", lambda: _begin_group_at_end(bus, topic, group))


async def _begin_group_at_end(bus: Bus, topic: str, group: str) -> None:
    consumer = member(bus, group)
    try:
        await start_client(consumer)
        topic_partitions = [TopicPartition(topic, partition) for partition in await all_partitions(consumer, topic)]
        consumer.assign(topic_partitions)
        hold(consumer, topic_partitions)
        committed = await read_committed_offsets(consumer, topic_partitions)
        if all(offset is None for offset in committed.values()):
            await consumer.commit(await consumer.end_offsets(topic_partitions))
            log.info("group.begins_at_end", group=group, topic=topic)
    except CommitFailedError:
        # Others are members already, who have begun it.
        log.info("group.has_begun", group=group, topic=topic)
    finally:
        await stop_client(consumer)
