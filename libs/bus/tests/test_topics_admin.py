"""Making and checking the topics of a real Kafka."""

import socket
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import KafkaConnectionError
from bus_kafka import delete_topic, make_topic

from tarsy_bus.connection import Bus
from tarsy_bus.topics_admin import TopicsWrong, admin, apply_topics, check_topics, cluster_id, compare_topics
from tarsy_contracts.topics import Topics
from tarsy_embedded.ports import free_port
from tarsy_testing import delete_topics, eventually

COMPACTED = {"cleanup.policy": "compact"}


@pytest.fixture
async def bare(bare: Bus) -> AsyncIterator[Bus]:
    """Whatever the test makes is deleted afterwards."""
    yield bare
    await delete_topics(bare)


async def test_topics_are_made_once_and_then_fit(bare: Bus) -> None:
    assert set(await apply_topics(bare)) == {topic.name for topic in bare.topics.all()}
    await check_topics(bare)
    assert await apply_topics(bare) == []


async def test_a_missing_topic_is_named_and_made_again(bus: Bus) -> None:
    await delete_topic(bus, bus.topics.control)
    with pytest.raises(TopicsWrong) as wrong:
        await check_topics(bus)
    assert str(wrong.value) == f"topic {bus.topics.control} is missing. Run `tarsy topics apply`."
    assert await apply_topics(bus) == [bus.topics.control]
    await check_topics(bus)


async def test_every_topic_that_is_missing_is_named(bare: Bus) -> None:
    with pytest.raises(TopicsWrong) as wrong:
        await check_topics(bare)
    for topic in bare.topics.all():
        assert f"topic {topic.name} is missing" in str(wrong.value)


async def test_a_wrong_number_of_partitions_is_named(bare: Bus) -> None:
    await make_topic(bare, bare.topics.heads, 3, COMPACTED)
    with pytest.raises(TopicsWrong, match=f"topic {bare.topics.heads} has 3 partitions, not 12"):
        await check_topics(bare)


@pytest.mark.timeout(20)
async def test_where_a_topic_does_not_fit_nothing_is_made_and_nothing_is_waited_for(bare: Bus) -> None:
    await make_topic(bare, bare.topics.heads, 3, COMPACTED)
    with pytest.raises(TopicsWrong) as wrong:
        await apply_topics(bare)
    assert str(wrong.value) == f"topic {bare.topics.heads} has 3 partitions, not 12"
    async with admin(bare) as client:
        assert [name for name in await client.list_topics() if name.startswith(bare.topics.prefix)] == [
            bare.topics.heads
        ]


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("message.timestamp.type", "CreateTime", "has message.timestamp.type=CreateTime, not LogAppendTime"),
        ("cleanup.policy", "compact", "has cleanup.policy=compact, not delete"),
        ("max.message.bytes", "1048588", "has max.message.bytes=1048588, less than 4259840"),
        ("retention.ms", "604800000", "has retention.ms=604800000, not -1"),
        ("retention.bytes", "1000000000", "has retention.bytes=1000000000, not -1"),
    ],
)
async def test_a_log_of_which_the_truth_could_not_rest_stops_whoever_finds_it(
    bare: Bus, setting: str, value: str, said: str
) -> None:
    await apply_topics(bare)
    await set_topic(bare, bare.topics.sessions, {setting: value})
    with pytest.raises(TopicsWrong) as wrong:
        await check_topics(bare)
    assert str(wrong.value) == f"topic {bare.topics.sessions} {said}."
    with pytest.raises(TopicsWrong, match=said):
        await apply_topics(bare)


async def test_what_is_kept_shorter_or_may_be_larger_is_remarked_and_stops_nobody(bare: Bus) -> None:
    await apply_topics(bare)
    await set_topic(bare, bare.topics.stream, {"retention.ms": "60000", "max.message.bytes": "9000000"})
    found = await compare_topics(bare)
    assert found.remarks == [f"topic {bare.topics.stream} has retention.ms=60000, less than 3600000"]
    assert (found.missing, found.misfits) == ([], [])
    await check_topics(bare)


async def test_a_comparison_makes_nothing(bare: Bus) -> None:
    found = await compare_topics(bare)
    assert [topic.name for topic in found.missing] == [topic.name for topic in bare.topics.all()]
    async with admin(bare) as client:
        assert not [name for name in await client.list_topics() if name.startswith(bare.topics.prefix)]


@pytest.mark.timeout(20)
async def test_a_cluster_that_does_not_answer_is_given_up_in_time(bare: Bus) -> None:
    """Nobody listens at the first; the second takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", free_port())) as silent:
        for port in (free_port(), silent.getsockname()[1]):
            with pytest.raises(KafkaConnectionError, match="no answer within 1 seconds"):
                await apply_topics(replace(bare, bootstrap=f"127.0.0.1:{port}"), connect_seconds=1)


async def test_a_name_that_kafka_refuses_is_said_with_its_reason(bare: Bus) -> None:
    with pytest.raises(TopicsWrong, match=r"topic a b\.alerts: InvalidTopic"):
        await apply_topics(replace(bare, topics=Topics("a b")))


async def test_a_topic_has_the_settings_of_the_table(bus: Bus) -> None:
    for topic in bus.topics.all():
        wanted = topic.settings()
        assert wanted.items() <= (await config_of(bus, topic.name)).items()


async def set_topic(bus: Bus, topic: str, change: dict[str, str]) -> None:
    """Kafka puts everything that is not named back to its default."""
    settings = next(one.settings() for one in bus.topics.all() if one.name == topic) | change
    async with admin(bus) as client:
        (answer,) = await client.alter_configs([ConfigResource(ConfigResourceType.TOPIC, topic, settings)])
        assert [row[0] for row in answer.resources] == [0]

        async def is_set() -> bool:
            return settings.items() <= (await config_of(bus, topic)).items()

        await eventually(is_set, f"{topic} has {settings}")


async def config_of(bus: Bus, topic: str) -> dict[str, str]:
    async with admin(bus) as client:
        (answer,) = await client.describe_configs([ConfigResource(ConfigResourceType.TOPIC, topic)])
    (resource,) = answer.resources
    return {entry[0]: entry[1] for entry in resource[4]}


async def test_every_asker_sees_the_same_cluster(bare: Bus) -> None:
    first = await cluster_id(bare)
    assert first
    assert await cluster_id(replace(bare, client="another")) == first
