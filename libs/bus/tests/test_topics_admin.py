"""Making and checking the topics of a real Kafka."""

import asyncio
import socket
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from aiokafka.admin import NewPartitions
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import KafkaConnectionError
from structlog.testing import capture_logs

from tarsy_bus.client import publisher
from tarsy_bus.client.connection import Bus, Layout
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.topics import topics_admin
from tarsy_bus.topics.cluster_layout import read_recorded_partitions, record_partitions
from tarsy_bus.topics.topic_check import Present, fit
from tarsy_bus.topics.topics_admin import (
    WrongTopicsError,
    admin,
    apply_topics,
    check_topics,
    cluster_id,
    compare_topics,
)
from tarsy_contracts.wire.partitioning import partition_of
from tarsy_contracts.wire.topics import Topics
from tarsy_processes.ports import free_port
from tarsy_testing.real_servers import delete_topics, eventually
from tarsy_testing.servers.bus_kafka import delete_topic, make_topic

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
    with pytest.raises(WrongTopicsError) as wrong:
        await check_topics(bus)
    assert str(wrong.value) == f"topic {bus.topics.control} is missing. Run `tarsy topics apply`."
    assert await apply_topics(bus) == [bus.topics.control]
    await check_topics(bus)


async def test_every_topic_that_is_missing_is_named(bare: Bus) -> None:
    with pytest.raises(WrongTopicsError) as wrong:
        await check_topics(bare)
    for topic in bare.topics.all():
        assert f"topic {topic.name} is missing" in str(wrong.value)


async def test_a_wrong_number_of_partitions_is_named(bare: Bus) -> None:
    await make_topic(bare, bare.topics.heads, 3, COMPACTED)
    with pytest.raises(WrongTopicsError, match=f"topic {bare.topics.heads} has 3 partitions, not 12"):
        await check_topics(bare)


async def test_a_topic_that_somebody_grew_fits_and_is_remarked(bus: Bus) -> None:
    async with admin(bus) as client:
        grown = {name: NewPartitions(30) for name in (bus.topics.inbox, bus.topics.control)}
        await client.create_partitions(grown)

    async def remarked() -> bool:
        return len((await compare_topics(bus)).remarks) == 2

    await eventually(remarked, "both are remarked")
    assert (await compare_topics(bus)).remarks == [
        f"topic {bus.topics.inbox} has 30 partitions: 12 are used, as before somebody grew it",
        f"topic {bus.topics.control} has 30 partitions: 4 are used, as before somebody grew it",
    ]
    await check_topics(bus)
    assert await apply_topics(bus) == []


async def test_partitions_that_somebody_added_to_a_queue_are_used_and_not_remarked(bus: Bus) -> None:
    growing = [topic.name for topic in bus.topics.all() if topic.may_grow]
    async with admin(bus) as client:
        await client.create_partitions({name: NewPartitions(60) for name in growing})

    async def used() -> bool:
        await check_topics(bus)
        return all(bus.partitions(name) == 60 for name in growing)

    await eventually(used, "all partitions of the grown topics are used")
    assert (await compare_topics(bus)).remarks == []
    key = next(key for key in (b"%d" % number for number in range(100)) if partition_of(key, 60) >= 24)
    async with Publisher(bus, source="test", now=lambda: datetime.now(UTC)).running() as publisher:
        for name in growing:
            written = await publisher.write(name, key=key, value=b"v", headers=[])
            assert written.partition == partition_of(key, 60)
        assert (await publisher.write(bus.topics.stream, key=key, value=b"v", headers=[])).partition < 24


async def test_the_first_apply_decides_the_number_for_good(bare: Bus) -> None:
    await apply_topics(bare, log_partitions=3)
    told = {name: await partitions_of(bare, name) for name in (bare.topics.inbox, bare.topics.sessions)}
    assert set(told.values()) == {3}
    later = replace(bare, layout=Layout())
    await check_topics(later)
    assert later.layout.log_partitions == 3
    assert await apply_topics(later) == []
    assert await apply_topics(later, log_partitions=3) == []
    with pytest.raises(WrongTopicsError, match=r"have 3 partitions for good.*: 48 need another cluster or prefix"):
        await apply_topics(later, log_partitions=48)
    assert "48 need another" in (await compare_topics(later, log_partitions=48)).misfits[0]


async def test_a_cluster_of_before_the_record_has_twelve(bus: Bus) -> None:
    await delete_topic(bus, bus.topics.layout)
    with pytest.raises(WrongTopicsError, match=f"topic {bus.topics.layout} is missing"):
        await check_topics(bus)
    with pytest.raises(WrongTopicsError, match="have 12 partitions for good"):
        await apply_topics(bus, log_partitions=48)
    assert await apply_topics(bus) == [bus.topics.layout]
    await check_topics(bus)


async def test_an_apply_that_died_before_the_record_is_made_again(bare: Bus) -> None:
    for topic in bare.topics.all(5):
        await make_topic(bare, topic.name, topic.partitions, topic.settings())
    with pytest.raises(WrongTopicsError, match=f"topic {bare.topics.layout} has no record of the number of partitions"):
        await check_topics(bare)
    assert await apply_topics(bare, log_partitions=5) == []
    await check_topics(bare)
    assert bare.layout.log_partitions == 5


async def test_of_two_records_the_first_counts(bus: Bus) -> None:
    await record_partitions(bus, 99)
    await check_topics(bus)
    assert bus.layout.log_partitions == 12


async def test_a_record_that_a_busy_broker_does_not_take_in_time_is_written_again(
    bare: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publisher, "WRITE_SECONDS", 0.5)

    async def was_refused() -> bool:
        return any(line["event"] == "layout.not_written" for line in lines)

    with capture_logs() as lines:
        recording = asyncio.create_task(record_partitions(bare, 5))
        await eventually(was_refused, "the first write is given up")
    monkeypatch.undo()
    await make_topic(bare, bare.topics.layout)
    await recording
    assert await read_recorded_partitions(bare) == 5


async def test_what_is_not_durable_or_compressed_again_is_remarked_and_stops_nobody(bus: Bus) -> None:
    change = {"compression.type": "zstd", "unclean.leader.election.enable": "true", "min.insync.replicas": "2"}
    await set_topic(bus, bus.topics.heads, change)
    name = f"topic {bus.topics.heads} has"
    assert (await compare_topics(bus)).remarks == [
        f"{name} min.insync.replicas=2, but 1 copies: it takes no records",
        f"{name} unclean.leader.election.enable=true: acknowledged records may be lost when brokers fail",
        f"{name} compression.type=zstd: the broker compresses each record again, which costs it time",
    ]
    await check_topics(bus)


def test_three_copies_with_one_in_sync_are_remarked() -> None:
    (topic,) = (topic for topic in Topics().all() if topic.name == "tarsy.sessions")
    found = fit([topic], {topic.name: Present(12, 3, topic.settings(1))})
    assert found.misfits == []
    assert found.remarks == [
        "topic tarsy.sessions has min.insync.replicas=1, less than 2: acknowledged records may be lost with one broker"
    ]


async def test_where_a_topic_does_not_fit_nothing_is_made_and_nothing_is_waited_for(
    bare: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(topics_admin, "READY_SECONDS", 3_600.0)
    await make_topic(bare, bare.topics.heads, 3, COMPACTED)
    with pytest.raises(WrongTopicsError) as wrong:
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
    with pytest.raises(WrongTopicsError) as wrong:
        await check_topics(bare)
    assert str(wrong.value) == f"topic {bare.topics.sessions} {said}."
    with pytest.raises(WrongTopicsError, match=said):
        await apply_topics(bare)


async def test_what_is_kept_shorter_or_may_be_larger_is_remarked_and_stops_nobody(bare: Bus) -> None:
    await apply_topics(bare)
    await set_topic(bare, bare.topics.stream, {"retention.ms": "60000", "max.message.bytes": "9000000"})
    found = await compare_topics(bare)
    assert found.remarks == [f"topic {bare.topics.stream} has retention.ms=60000, less than 3600000"]
    assert (found.missing, found.misfits) == ([], [])
    await check_topics(bare)


async def test_a_topic_of_an_hour_that_is_kept_a_week_is_remarked_and_stops_nobody(bare: Bus) -> None:
    """Topics were made so before: a broker deletes whole segments, and its own default for one is a week."""
    await apply_topics(bare)
    assert (await compare_topics(bare)).remarks == []
    await set_topic(bare, bare.topics.stream, {"segment.ms": "604800000"})
    found = await compare_topics(bare)
    assert found.remarks == [
        f"topic {bare.topics.stream} has segment.ms=604800000, more than 900000: its records are kept so much longer"
    ]
    await check_topics(bare)


async def test_a_comparison_makes_nothing(bare: Bus) -> None:
    found = await compare_topics(bare)
    assert [topic.name for topic in found.missing] == [topic.name for topic in bare.topics.all()]
    async with admin(bare) as client:
        assert not [name for name in await client.list_topics() if name.startswith(bare.topics.prefix)]


async def test_a_cluster_that_does_not_answer_is_given_up_in_time(bare: Bus) -> None:
    """Nobody listens at the first; the second takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", free_port())) as silent:
        for port in (free_port(), silent.getsockname()[1]):
            with pytest.raises(KafkaConnectionError, match="no answer within 1 seconds"):
                await apply_topics(replace(bare, bootstrap=f"127.0.0.1:{port}"), connect_seconds=1)


async def test_a_name_that_kafka_refuses_is_said_with_its_reason(bare: Bus) -> None:
    with pytest.raises(WrongTopicsError, match=r"topic a b\.alerts: InvalidTopic"):
        await apply_topics(replace(bare, topics=Topics("a b")))


async def test_a_topic_has_the_settings_of_the_table(bus: Bus) -> None:
    for topic in bus.topics.all():
        wanted = topic.settings()
        assert wanted.items() <= (await config_of(bus, topic.name)).items()


async def partitions_of(bus: Bus, topic: str) -> int:
    async with admin(bus) as client:
        (described,) = await client.describe_topics([topic])
    return len(described["partitions"])


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
