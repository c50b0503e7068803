"""Rights that are missing on a real Kafka with an authorizer: named all at once, before anything begins."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tarsy_bus.access import KafkaAccessError
from tarsy_bus.connection import Bus
from tarsy_bus.kafka_rights import INGEST, ORCHESTRATOR, TOPICS_APPLY, WEBSOCKET_GATEWAY, Right
from tarsy_bus.topics_admin import WrongTopicsError, apply_topics, check_topics
from tarsy_contracts.topics import Topics
from tarsy_guarded_kafka import GuardedKafka, guarded_kafka


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
        f"Read on topic {topics.alerts}, {topics.layout}; Write on topic {topics.inbox}, {topics.dead_letters}; "
        f"Read on group {topics.prefix}.ingest. "
        f"`tarsy topics acls --service ingest --prefix {topics.prefix}` prints all rights for it"
    )


async def test_topics_that_do_not_exist_are_still_called_missing(kafka: GuardedKafka) -> None:
    nowhere = Topics(f"t{uuid4().hex[:10]}")
    await kafka.grant(nowhere, INGEST)
    with pytest.raises(WrongTopicsError, match="is missing"):
        await check_topics(kafka.bus(nowhere, INGEST), INGEST)


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
