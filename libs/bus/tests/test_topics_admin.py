"""Making and checking the topics of a real Kafka."""

from dataclasses import replace

import pytest
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from bus_kafka import delete_topic, make_topic

from tarsy_bus.connection import Bus
from tarsy_bus.topics_admin import TopicsWrong, admin, apply_topics, check_topics, cluster_id
from tarsy_contracts.topics import Topics


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
    await make_topic(bare, bare.topics.heads, 3)
    with pytest.raises(TopicsWrong, match=f"topic {bare.topics.heads} has 3 partitions, not 12"):
        await check_topics(bare)


@pytest.mark.timeout(20)
async def test_where_a_topic_does_not_fit_nothing_is_made_and_nothing_is_waited_for(bare: Bus) -> None:
    await make_topic(bare, bare.topics.heads, 3)
    with pytest.raises(TopicsWrong) as wrong:
        await apply_topics(bare)
    assert str(wrong.value) == f"topic {bare.topics.heads} has 3 partitions, not 12"
    async with admin(bare) as client:
        assert [name for name in await client.list_topics() if name.startswith(bare.topics.prefix)] == [
            bare.topics.heads
        ]


async def test_a_name_that_kafka_refuses_is_said_with_its_reason(bare: Bus) -> None:
    with pytest.raises(TopicsWrong, match=r"topic a b\.alerts: InvalidTopic"):
        await apply_topics(replace(bare, topics=Topics("a b")))


async def test_a_topic_has_the_settings_of_the_table(bus: Bus) -> None:
    for topic in bus.topics.all():
        assert topic.settings().items() <= (await config_of(bus, topic.name)).items()


async def config_of(bus: Bus, topic: str) -> dict[str, str]:
    async with admin(bus) as client:
        (answer,) = await client.describe_configs([ConfigResource(ConfigResourceType.TOPIC, topic)])
    (resource,) = answer.resources
    return {entry[0]: entry[1] for entry in resource[4]}


async def test_every_asker_sees_the_same_cluster(bare: Bus) -> None:
    first = await cluster_id(bare)
    assert first
    assert await cluster_id(replace(bare, client="another")) == first
