"""Commits of the inbox: up to the first input whose decision has not come back."""

from collections.abc import Mapping

import structlog
from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import CommitFailedError, IllegalStateError, KafkaError

log = structlog.get_logger(__name__)


class InboxCommits:
    def __init__(self, topic: str, consumer: AIOKafkaConsumer) -> None:
        self._topic = topic
        self._consumer = consumer
        self._committed: dict[int, int] = {}

    async def commit(self, committable: Mapping[int, int]) -> None:
        """`committable`: by partition. It fails, with a line in the log, once another owner took over."""
        offsets = {
            TopicPartition(self._topic, number): offset
            for number, offset in committable.items()
            if self._committed.get(number) != offset
        }
        if not offsets:
            return
        try:
            await self._consumer.commit(offsets)
        except (CommitFailedError, IllegalStateError, KafkaError) as problem:
            log.info("commit.refused", reason=repr(problem))
            return
        self._committed.update({topic_partition.partition: offset for topic_partition, offset in offsets.items()})
