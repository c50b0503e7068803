"""`tarsy topics apply`, on the real Kafka."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiokafka.admin import NewTopic
from typer.testing import CliRunner

from tarsy_bus.client.connection import Bus
from tarsy_bus.topics.topics_admin import admin, check_topics, compare_topics
from tarsy_cli.app import cli
from tarsy_contracts.wire.topics import DAY, Topics
from tarsy_local.instance import Home, Instance
from tarsy_testing.real_servers import delete_topics, eventually

SETTINGS = {"message.timestamp.type": "CreateTime", "max.message.bytes": "1048588"}


@pytest.fixture
def bare(kafka_bootstrap: str, topic_prefix: str) -> Iterator[Bus]:
    bus = Bus(bootstrap=kafka_bootstrap, topics=Topics(topic_prefix), client="test")
    yield bus
    asyncio.run(delete_topics(bus))


def applied(bus: Bus, *more: str) -> tuple[int, list[str]]:
    arguments = ["topics", "apply", "--kafka", bus.bootstrap, "--prefix", bus.topics.prefix, *more]
    result = CliRunner().invoke(cli, arguments)
    return result.exit_code, result.output.splitlines()


async def make(bus: Bus, name: str, partitions: int) -> None:
    async with admin(bus) as client:
        await client.create_topics([NewTopic(name, partitions, 1, topic_configs=SETTINGS)])

    async def there() -> bool:
        return name not in [topic.name for topic in (await compare_topics(bus)).missing]

    await eventually(there, f"{name} is described")


def test_topics_are_made_once_and_checked_afterwards(bare: Bus) -> None:
    assert applied(bare) == (0, [f"made {topic.name}" for topic in bare.topics.all()])
    assert applied(bare) == (0, ["All topics are there."])
    assert applied(bare, "--dry-run") == (0, ["All topics are there."])


def test_without_a_kafka_that_of_the_home_is_meant_with_its_prefix(bare: Bus, tmp_path: Path) -> None:
    home = Home(tmp_path)
    running = Instance(state="ready", pid=1, kafka=bare.bootstrap, topic_prefix=bare.topics.prefix)
    with home.occupied_by_new_instance():
        home.write(running)
        environ = {"TARSY_KAFKA": None, "TARSY_TOPIC_PREFIX": None}
        result = CliRunner().invoke(cli, ["topics", "apply", "--home", str(tmp_path), "--dry-run"], env=environ)
    lines = [f"would make {topic.name}: {topic.partitions} partitions" for topic in bare.topics.all()]
    assert (result.exit_code, result.output.splitlines()) == (1, lines)


def test_settings_that_are_optional_can_be_left_out(bare: Bus) -> None:
    assert applied(bare, "--without", "segment.ms")[0] == 0
    code, lines = applied(bare, "--dry-run")
    assert code == 0
    assert any("segment.ms=604800000" in line for line in lines)
    assert applied(bare, "--without", "cleanup.policy") == (
        2,
        [
            "cleanup.policy cannot be left out. These can: segment.ms, compression.type, min.insync.replicas, "
            "unclean.leader.election.enable, retention.bytes."
        ],
    )


def test_the_sentence_of_a_broker_that_refuses_is_shown(bare: Bus) -> None:
    code, lines = applied(bare, "--replication", "3")
    assert code == 2
    assert "InvalidReplicationFactorError: Unable to replicate the partition 3 time(s)" in " ".join(lines)


def test_the_public_topic_keeps_events_as_long_as_it_is_told(bare: Bus) -> None:
    assert applied(bare, "--events-days", "30")[0] == 0
    asyncio.run(check_topics(bare))
    assert bare.layout.events_kept_ms == 30 * DAY


def test_a_dry_run_says_what_would_be_made_and_makes_nothing(bare: Bus) -> None:
    code, lines = applied(bare, "--dry-run")
    assert code == 1
    assert lines == [f"would make {topic.name}: {topic.partitions} partitions" for topic in bare.topics.all()]
    assert applied(bare, "--dry-run") == (code, lines)


def test_a_dry_run_says_what_does_not_fit(bare: Bus) -> None:
    asyncio.run(make(bare, bare.topics.workers, 2))
    code, lines = applied(bare, "--dry-run")
    assert code == 2
    name = f"does not fit: topic {bare.topics.workers}"
    differs = f"differs, and may: topic {bare.topics.workers}"
    assert [line for line in lines if not line.startswith("would make")] == [
        f"{name} has message.timestamp.type=CreateTime, not LogAppendTime",
        f"{name} has max.message.bytes=1048588, less than 4259840",
        f"{differs} has 2 partitions: 1 are used, as before somebody grew it",
        f"{differs} has segment.ms=604800000, more than 225000: its records are kept so much longer",
    ]


def test_a_large_site_begins_with_more_partitions_and_keeps_them(bare: Bus) -> None:
    code, lines = applied(bare, "--dry-run", "--partitions", "5")
    assert f"would make {bare.topics.inbox}: 5 partitions" in lines
    assert applied(bare, "--partitions", "5")[0] == 0
    assert applied(bare) == (0, ["All topics are there."])
    code, lines = applied(bare, "--partitions", "48")
    assert code == 2
    assert "have 5 partitions for good" in " ".join(" ".join(lines).split())
    assert applied(bare, "--dry-run", "--partitions", "48")[0] == 2


def test_a_cluster_that_cannot_be_asked_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tarsy_cli.topic_commands.CONNECT_SECONDS", 0.2)
    nowhere = Bus(bootstrap="127.0.0.1:1", topics=Topics("t"), client="test")
    code, lines = applied(nowhere, "--dry-run")
    assert code == 3
    assert "127.0.0.1:1" in " ".join(lines)
    assert "kafka.broker_unreachable" not in " ".join(lines)
    assert applied(nowhere)[0] == 1


def test_programs_read_a_dry_run(bare: Bus) -> None:
    code, lines = applied(bare, "--dry-run", "--json")
    told = json.loads("\n".join(lines))
    assert (code, told["misfits"], told["remarks"]) == (1, [], [])
    assert told["missing"] == [{"name": topic.name, "partitions": topic.partitions} for topic in bare.topics.all()]
    assert applied(bare, "--json")[0] == 2
