"""How far a reader of a partition is behind, in records and in seconds."""

from collections.abc import Callable
from datetime import datetime

from aiokafka import AIOKafkaConsumer, TopicPartition


def count_unread(consumer: AIOKafkaConsumer, topic_partition: TopicPartition, position: int) -> int:
    """Records from the position on, as far as the consumer has heard of them."""
    known = consumer.highwater(topic_partition) if topic_partition in consumer.assignment() else None
    return max(0, known - position) if known is not None else 0


class Lag:
    """Counts from the stamp of the last record read, or from the moment when nothing was left, if that was later. The
    first record after a quiet night is not late. `now` is ours, the stamps are the broker's.
    """

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._since = now()

    def read(self, appended_at: datetime) -> None:
        self._since = appended_at

    def mark_caught_up(self) -> None:
        self._since = self._now()

    def seconds(self, records: int) -> float:
        """0 when no record waits."""
        return max(0.0, (self._now() - self._since).total_seconds()) if records > 0 else 0.0
