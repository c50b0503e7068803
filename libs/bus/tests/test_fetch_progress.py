"""A reader makes progress while brokers answer it, whether there is something new or not."""

from itertools import count

from aiokafka import TopicPartition

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.fetch_progress import REST_SECONDS, FetchProgress
from tarsy_bus.readers.partition_reader import PartitionReader
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.bus_kafka import make_topic

FIRST, SECOND = TopicPartition("log", 0), TopicPartition("log", 1)


class Consumer:
    def __init__(self, *assigned: TopicPartition) -> None:
        self.assigned = frozenset(assigned)
        self.resting: set[TopicPartition] = set()
        self.answers: dict[TopicPartition, int] = {}

    def assignment(self) -> frozenset[TopicPartition]:
        return self.assigned

    def paused(self) -> set[TopicPartition]:
        return self.resting

    def last_poll_timestamp(self, partition: TopicPartition) -> int | None:
        return self.answers.get(partition)


def test_an_answer_counts_once() -> None:
    consumer = Consumer(FIRST)
    progress = FetchProgress(consumer, count(step=2).__next__)
    assert not progress.take_answered()
    consumer.answers[FIRST] = 1_000
    assert progress.take_answered()
    assert not progress.take_answered()
    consumer.answers[FIRST] = 1_500
    assert progress.take_answered()


def test_a_reader_that_made_progress_is_not_looked_at_again_for_a_second() -> None:
    now = [100.0]
    consumer = Consumer(FIRST)
    progress = FetchProgress(consumer, lambda: now[0])
    consumer.answers[FIRST] = 1_000
    assert progress.take_answered()
    now[0] += REST_SECONDS / 2
    consumer.answers[FIRST] = 1_500
    assert not progress.take_answered()
    now[0] += REST_SECONDS / 2
    assert progress.take_answered()


def test_one_partition_without_an_answer_is_no_progress_however_often_the_others_are_answered() -> None:
    consumer = Consumer(FIRST, SECOND)
    progress = FetchProgress(consumer)
    for at in range(1_000, 5_000, 500):
        consumer.answers[FIRST] = at
        assert not progress.take_answered()
    consumer.answers[SECOND] = 5_000
    assert progress.take_answered()


def test_partitions_may_be_answered_at_different_times() -> None:
    consumer = Consumer(FIRST, SECOND)
    progress = FetchProgress(consumer)
    consumer.answers[FIRST] = 1_000
    assert not progress.take_answered()
    consumer.answers[SECOND] = 1_400
    assert progress.take_answered()


def test_who_paused_its_partitions_waits_for_nobody() -> None:
    consumer = Consumer(FIRST, SECOND)
    consumer.resting = {FIRST, SECOND}
    assert FetchProgress(consumer).take_answered()
    assert FetchProgress(Consumer()).take_answered()


def test_a_partition_that_went_away_is_not_waited_for() -> None:
    consumer = Consumer(FIRST, SECOND)
    progress = FetchProgress(consumer)
    consumer.answers[FIRST] = 1_000
    assert not progress.take_answered()
    consumer.assigned = frozenset({FIRST})
    assert progress.take_answered()


async def test_a_real_broker_answers_also_when_nothing_is_new(bare: Bus) -> None:
    await make_topic(bare, bare.topics.sessions, 2)
    async with PartitionReader(bare, bare.topics.sessions).running() as follower:
        follower.assign({0: 0, 1: 0})
        progress = FetchProgress(follower.consumer)

        async def answered() -> bool:
            assert await follower.read() == []
            return progress.take_answered()

        for time in ("first", "second", "third"):
            await eventually(answered, f"the {time} answer to an idle reader")
