"""How far a reader of a partition is behind, in records and in seconds."""

from collections.abc import Callable
from datetime import datetime

from aiokafka import AIOKafkaConsumer, TopicPartition


def unread(consumer: AIOKafkaConsumer, place: TopicPartition, position: int) -> int:
    """Records from the position on, as far as the consumer has heard of them."""
    known = consumer.highwater(place) if place in consumer.assignment() else None
    return max(0, known - position) if known is not None else 0


class Lag:
    """Counts from the stamp of the last record that was read, or from when nothing was left to read, if that was later:
    the first record after a quiet night is not a night behind. `now` is ours, the stamps are the broker's.
    """

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._since = now()

    def read(self, appended_at: datetime) -> None:
        self._since = appended_at

    def caught_up(self) -> None:
        self._since = self._now()

    def seconds(self, records: int) -> float:
        """0 when no record waits."""
        return max(0.0, (self._now() - self._since).total_seconds()) if records > 0 else 0.0
