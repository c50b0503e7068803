"""Whether the brokers still answer a consumer's fetches: an empty read alone may as well mean an outage."""

import time
from collections.abc import Callable
from typing import Protocol

from aiokafka import TopicPartition

REST_SECONDS = 1.0
"""Nobody needs to know it sooner again, and a busy reader reads hundreds of times a second."""


class Fetching(Protocol):
    """The part of a consumer that FetchProgress uses."""

    def assignment(self) -> frozenset[TopicPartition]: ...
    def paused(self) -> set[TopicPartition]: ...
    def last_poll_timestamp(self, partition: TopicPartition) -> int | None: ...


def ignore_step() -> None:
    """For a loop whose steps nobody follows."""


class FetchProgress:
    """Asked after each read of one consumer. Brokers answer a fetch within seconds, also when nothing is new."""

    def __init__(self, consumer: Fetching, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._consumer = consumer
        self._monotonic = monotonic
        self._rests_until = 0.0
        self._answered_at: dict[TopicPartition, int] = {}
        self._answered: set[TopicPartition] = set()

    def take_answered(self) -> bool:
        """True once every partition that is read was answered since this was True last, which is REST_SECONDS ago.

        A consumer that reads no partition, or paused all of its own, waits for nobody.
        """
        if self._monotonic() < self._rests_until:
            return False
        reading = self._consumer.assignment() - self._consumer.paused()
        for topic_partition in reading:
            answered_at = self._consumer.last_poll_timestamp(topic_partition)
            if answered_at is not None and answered_at != self._answered_at.get(topic_partition):
                self._answered_at[topic_partition] = answered_at
                self._answered.add(topic_partition)
        if not reading <= self._answered:
            return False
        self._answered.clear()
        self._rests_until = self._monotonic() + REST_SECONDS
        self._answered_at = {
            topic_partition: at for topic_partition, at in self._answered_at.items() if topic_partition in reading
        }
        return True
