"""Rights that are missing on a real Kafka with an authorizer: named all at once, before anything begins."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from aiokafka.errors import TopicAuthorizationFailedError
from structlog.testing import capture_logs

from tarsy_bus.client.access import KafkaAccessError
from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.readers.partition_reader import PartitionReader, Record
from tarsy_bus.topics.kafka_rights import INGEST, ORCHESTRATOR, TOPICS_APPLY, WEBSOCKET_GATEWAY, Right
from tarsy_bus.topics.optional_rights import describe_missing_read
from tarsy_bus.topics.topics_admin import WrongTopicsError, apply_topics, check_topics
from tarsy_contracts.wire.topics import QUEUE_PARTITIONS, Topics
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.guarded_kafka import GuardedKafka, guarded_kafka


@pytest.fixture(scope="module")
def kafka(work_folder: Path) -> Iterator[GuardedKafka]:
    with guarded_kafka(work_folder / "guarded") as kafka:
        yield kafka


@pytest.fixture
async def topics(kafka: GuardedKafka) -> Topics:
    topics = Topics(f"t{uuid4().hex[:10]}")
    await apply_topics(kafka.bus(topics))
    return topics


async def refused(bus: Bus) -> str:
    with pytest.raises(KafkaAccessError) as refusal:
        await check_topics(bus, INGEST)
    return str(refusal.value)


async def test_a_user_with_all_of_its_rights_is_not_refused(kafka: GuardedKafka, topics: Topics) -> None:
    for user in (INGEST, ORCHESTRATOR, WEBSOCKET_GATEWAY):
        await kafka.grant(topics, user)
        await check_topics(kafka.bus(topics, user), user)


async def test_every_right_that_is_missing_is_named_with_its_topics(kafka: GuardedKafka, topics: Topics) -> None:
    lacking = [
        Right("topic", topics.inbox, ("Write",)),
        Right("topic", topics.dead_letters, ("Write",)),
        Right("topic", topics.alerts, ("Read",)),
        Right("group", f"{topics.prefix}.ingest", ("Read",)),
    ]
    await kafka.grant(topics, INGEST, without=lacking)
    assert await refused(kafka.bus(topics, INGEST)) == (
        f"Kafka at {kafka.broker.bootstrap} does not let the user ingest do what ingest needs: "
        f"Read on topic {topics.alerts}; Write on topic {topics.inbox}, {topics.dead_letters}; "
        f"Read on group {topics.prefix}.ingest. "
        f"`tarsy topics acls --service ingest --prefix {topics.prefix}` prints all rights for it"
    )


async def test_a_topic_that_may_not_be_described_is_not_called_missing(kafka: GuardedKafka, topics: Topics) -> None:
    assert await refused(kafka.bus(topics, INGEST)) == (
        f"Kafka at {kafka.broker.bootstrap} does not let the user ingest do what ingest needs: "
        f"Describe on topic {topics.prefix}.*; DescribeConfigs on topic {topics.prefix}.*; "
        f"Read on topic {topics.alerts}, {topics.heads}, {topics.workers}, {topics.layout}; "
        f"Write on topic {topics.inbox}, {topics.dead_letters}, {topics.audit}; "
        f"Read on group {topics.prefix}.ingest. "
        f"`tarsy topics acls --service ingest --prefix {topics.prefix}` prints all rights for it"
    )


async def test_a_right_that_is_optional_holds_up_no_start_and_is_named_with_the_command_that_grants_it(
    kafka: GuardedKafka, topics: Topics
) -> None:
    read = Right("topic", topics.catalog, ("Read",))
    await kafka.grant(topics, INGEST, without=[read])
    bus = kafka.bus(topics, INGEST)
    await check_topics(bus, INGEST)
    assert await describe_missing_read(bus, INGEST, topics.catalog) == (
        f"Kafka does not let the user ingest do Read on topic {topics.catalog}; `kafka-acls.sh --bootstrap-server "
        f"{bus.bootstrap} --add --allow-principal User:ingest --operation Read --topic {topics.catalog}` grants it"
    )
    await kafka.grant(topics, INGEST)

    async def granted() -> bool:
        return await describe_missing_read(bus, INGEST, topics.catalog) == ""

    await eventually(granted, "the right is there")


async def test_topics_that_do_not_exist_are_still_called_missing(kafka: GuardedKafka) -> None:
    nowhere = Topics(f"t{uuid4().hex[:10]}")
    await kafka.grant(nowhere, INGEST)
    with pytest.raises(WrongTopicsError, match="is missing"):
        await check_topics(kafka.bus(nowhere, INGEST), INGEST)


async def test_a_right_that_is_taken_away_is_waited_for_and_reading_goes_on_when_it_is_back(
    kafka: GuardedKafka, topics: Topics
) -> None:
    await kafka.grant(topics, WEBSOCKET_GATEWAY)
    steps: list[None] = []
    bus, right = kafka.bus(topics, WEBSOCKET_GATEWAY), Right("topic", topics.stream, ("Read",))
    partitions = range(QUEUE_PARTITIONS)
    async with PartitionReader(bus, topics.stream, lambda: steps.append(None)).running() as follower:
        follower.assign(dict.fromkeys(partitions, 0))
        await kafka.revoke(topics, WEBSOCKET_GATEWAY, right)
        await refused_to_read(follower)
        steps.clear()
        reading = asyncio.ensure_future(read_one(follower))
        with capture_logs() as lines:

            async def said_twice() -> bool:
                return len(lines) >= 2

            await eventually(said_twice, "the reader waits, and tries again")
        assert not reading.done()
        assert {line["event"] for line in lines} == {"kafka.waited_for"}
        assert f"TopicAuthorizationFailedError('{topics.stream}')" in lines[0]["reason"]
        assert not steps, "a loop without steps makes its service unready"
        await kafka.grant(topics, WEBSOCKET_GATEWAY)
        async with Publisher(kafka.bus(topics), source="test", now=lambda: datetime.now(UTC)).running() as publisher:
            for partition in partitions:
                await publisher.write(topics.stream, key=b"s", value=b"{}", headers=[], partition=partition)
        async with asyncio.timeout(60):
            assert await reading


async def refused_to_read(follower: PartitionReader) -> None:
    async def look() -> bool:
        try:
            await follower.read()
        except TopicAuthorizationFailedError:
            return True
        return False

    await eventually(look, "the right is gone")


async def read_one(follower: PartitionReader) -> Record:
    while not (records := await follower.next()):
        pass
    return records[0]


async def test_topics_are_applied_with_the_rights_for_it_and_refused_without(kafka: GuardedKafka) -> None:
    own = Topics(f"t{uuid4().hex[:10]}")
    create = Right("topic", f"{own.prefix}.", ("Create",), prefixed=True)
    await kafka.grant(own, TOPICS_APPLY, without=[create])
    with pytest.raises(
        KafkaAccessError,
        match=rf"the right Create on topic {own.alerts}, .*acls --service topics-apply --prefix {own.prefix}`",
    ):
        await apply_topics(kafka.bus(own, TOPICS_APPLY))
    await kafka.grant(own, TOPICS_APPLY)
    assert len(await apply_topics(kafka.bus(own, TOPICS_APPLY))) == len(own.all())
