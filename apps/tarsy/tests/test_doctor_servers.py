"""`tarsy doctor` on the real Kafka and PostgreSQL: what is wrong with them, and what each finding says."""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import asyncpg
import pytest

from tarsy_bus.client.cluster_probe import BrokerAddress
from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.client.security import KafkaSecurity
from tarsy_bus.topics.authorized_operations import BITS, TopicOperations
from tarsy_bus.topics.kafka_rights import Operation
from tarsy_bus.topics.topics_admin import admin
from tarsy_cli.doctor import clock, database, kafka
from tarsy_cli.doctor.findings import Check
from tarsy_cli.doctor.runner import LimitedCheck, examine
from tarsy_cli.doctor.setup import Setup
from tarsy_contracts.wire.topics import Topics
from tarsy_processes.ports import free_port
from tarsy_timeline.database.migrations import migrate
from tarsy_timeline.database.pool import Database

PASSWORD = "hush-hush"


def setup_of(bus: Bus | None = None, url: str = "", schema: str = "tarsy") -> Setup:
    return Setup(home=Path(), config_dir=Path(), environ={}, bus=bus, database=url, schema=schema)


async def looked(check: Check, setup: Setup) -> list[tuple[str, str]]:
    found = await examine(setup, {"it": LimitedCheck(check, 90)})
    assert PASSWORD not in str(found)
    assert all(one.remedy for one in found if one.status in ("warning", "failed"))
    return [(one.status, one.sentence) for one in found]


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kafka, "CONNECT_SECONDS", 60.0)
    monkeypatch.setattr(clock, "ANNOUNCEMENT_SECONDS", 60.0)


@pytest.fixture
def hasty(patient: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """For a Kafka that does not answer in any time."""
    monkeypatch.setattr(kafka, "CONNECT_SECONDS", 3.0)


async def test_a_kafka_that_fits_is_fine(bus: Bus) -> None:
    setup = setup_of(bus)
    ((status, sentence),) = await looked(kafka.check_kafka, setup)
    assert (status, "1 broker, 4.0 or newer" in sentence) == ("ok", True)
    assert await looked(kafka.check_topics, setup) == [("ok", f"All topics of {bus.topics.prefix} are there and fit.")]
    ((status, _),) = await looked(kafka.check_rights, setup)
    assert status == "ok"


@pytest.mark.usefixtures("hasty")
async def test_a_kafka_that_is_away_fails_one_check_and_the_others_name_it(bus: Bus) -> None:
    setup = setup_of(replace(bus, bootstrap=f"127.0.0.1:{free_port()}"))
    ((status, sentence),) = await looked(kafka.check_kafka, setup)
    assert (status, "cannot be used" in sentence) == ("failed", True)
    for check in (kafka.check_topics, kafka.check_rights):
        assert await looked(check, setup) == [("not_checked", "Kafka does not answer.")]


@pytest.mark.usefixtures("hasty")
async def test_a_listener_of_another_kind_is_told(bus: Bus) -> None:
    ((status, sentence),) = await looked(kafka.check_kafka, setup_of(replace(bus, security=KafkaSecurity("SSL"))))
    assert status == "failed"
    assert "TARSY_KAFKA_SECURITY_PROTOCOL is SSL" in sentence


async def test_an_advertised_address_that_leads_nowhere_is_named(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    async def unreachable(_: Bus, brokers: list[BrokerAddress]) -> list[BrokerAddress]:
        return [BrokerAddress(7, "kafka-7.internal", 9092)]

    monkeypatch.setattr(kafka, "unreachable", unreachable)
    assert (await looked(kafka.check_kafka, setup_of(bus)))[1:] == [
        ("failed", "The address that broker 7 at kafka-7.internal:9092 advertises cannot be reached from here.")
    ]


async def test_topics_that_are_missing_are_named(bus: Bus) -> None:
    async with admin(bus) as client:
        await client.delete_topics([bus.topics.stream])
        while bus.topics.stream in await client.list_topics():
            pass
    ((status, sentence),) = await looked(kafka.check_topics, setup_of(bus))
    assert (status, sentence) == ("failed", f"Topics are missing, or may not be described: {bus.topics.stream}.")


SSL_REQUEST = b"\x04\xd2\x16\x2f"
REFUSED = b"no such database: tarsy"


async def pool_connections(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """As PgBouncer answers, which refuses parameters that it was not told to pass on."""
    try:
        while startup := await reader.readexactly(int.from_bytes(await reader.readexactly(4)) - 4):
            if startup == SSL_REQUEST:
                writer.write(b"N")
                continue
            reason = b"unsupported startup parameter: search_path" if b"search_path" in startup else REFUSED
            body = b"SFATAL\0VFATAL\0C08P01\0M" + reason + b"\0\0"
            writer.write(b"E" + (len(body) + 4).to_bytes(4) + body)
            break
        await writer.drain()
    finally:
        writer.close()


async def test_what_a_pooler_says_to_services_is_told() -> None:
    async with await asyncio.start_server(pool_connections, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        url = f"postgresql://tarsy:{PASSWORD}@127.0.0.1:{port}/tarsy"
        ((status, sentence),) = await looked(database.check_database, setup_of(url=url))
    assert (status, REFUSED.decode() in sentence) == ("failed", True)


def test_rights_are_those_of_all_services_or_of_some_or_too_few(bus_of_nowhere: Bus) -> None:
    topics = bus_of_nowhere.topics
    everything = {topic.name: allowed("Read", "Write", "Describe", "DescribeConfigs") for topic in topics.all()}
    assert kafka.judge_rights(bus_of_nowhere, everything).status == "ok"
    no_log = everything | {topics.heads: allowed("Describe", "DescribeConfigs")}
    some = kafka.judge_rights(bus_of_nowhere, no_log)
    assert (some.status, some.sentence.endswith("and not those of ingest, orchestrator.")) == ("warning", True)
    few = kafka.judge_rights(bus_of_nowhere, everything | {topics.layout: allowed()})
    assert (few.status, "Read on topic t.layout; Write on topic t.layout" in few.sentence) == ("failed", True)


def allowed(*operations: Operation) -> TopicOperations:
    return TopicOperations(error=0, bits=sum(1 << BITS[one] for one in operations))


@pytest.fixture
def bus_of_nowhere() -> Bus:
    return Bus("127.0.0.1:1", Topics("t"), client="test")


async def test_the_clock_of_kafka_is_that_of_the_next_announcement(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    # On a busy machine an announcement is read seconds after its stamp.
    monkeypatch.setattr(clock, "WARNING_SECONDS", 20.0)

    async def announce() -> None:
        async with Publisher(bus, source="tarsy/test", now=lambda: datetime.now(UTC)).running() as publisher:
            while True:
                await publisher.write(bus.topics.workers, key=b"w", value=b"x", headers=[])
                await asyncio.sleep(0.5)

    announcing = asyncio.create_task(announce())
    try:
        assert await looked(clock.check_clock, setup_of(bus)) == [("ok", "The clock of Kafka and ours agree.")]
    finally:
        announcing.cancel()


async def test_a_clock_that_is_wrong_is_told_with_the_difference(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await looked(clock.check_clock, setup_of(url=database_url)) == [
        ("ok", "The clock of PostgreSQL and ours agree.")
    ]
    now = time.time
    for ahead, status in ((5.0, "warning"), (-100.0, "failed")):
        monkeypatch.setattr(clock, "our_time", lambda ahead=ahead: now() - ahead)
        ((told, sentence),) = await looked(clock.check_clock, setup_of(url=database_url))
        assert told == status
        assert ("ahead of" if ahead > 0 else "behind") in sentence


async def test_a_database_that_the_timeline_has_made_is_fine(database_url: str, database_schema: str) -> None:
    setup = setup_of(url=database_url, schema=database_schema)
    assert (await looked(database.check_database, setup))[1:] == [
        ("warning", f"The schema {database_schema} is not there yet.")
    ]
    async with Database(database_url, database_schema, 3).running(lambda one: migrate(one, database_schema)):
        pass
    lets_in, whole = await looked(database.check_database, setup)
    assert (lets_in[0], whole[0]) == ("ok", "ok")
    assert "has all" in whole[1]


async def test_migrations_of_another_version_are_told(database_url: str, database_schema: str) -> None:
    setup = setup_of(url=database_url, schema=database_schema)
    prepared = Database(database_url, database_schema, 3).running(lambda one: migrate(one, database_schema))
    async with prepared as ours, ours.connection() as connection:
        await connection.execute("insert into schema_migrations (name) values ('9999_later.sql')")
        assert (await looked(database.check_database, setup))[1:] == [
            ("warning", f"The schema {database_schema} has migrations that this version does not know: 9999_later.sql.")
        ]
        await connection.execute("delete from schema_migrations where name like '0001%'")
        assert "are missing: 0001_first.sql" in (await looked(database.check_database, setup))[1][1]


@pytest.fixture
async def stranger(database_url: str) -> AsyncIterator[str]:
    """The URL of a user who may nothing."""
    user = f"u{uuid4().hex[:10]}"
    owner = await asyncpg.connect(database_url)
    name = await owner.fetchval("select current_database()")
    try:
        await owner.execute(f"create user {user} password '{PASSWORD}'")
        place = database_url.rpartition("@")[2]
        yield f"postgresql://{user}:{PASSWORD}@{place}"
        await owner.execute(f'drop owned by {user}; revoke all on database "{name}" from {user}; drop user {user}')
    finally:
        await owner.close()


async def test_rights_that_are_missing_are_told(database_url: str, database_schema: str, stranger: str) -> None:
    setup = setup_of(url=stranger, schema=database_schema)
    assert (await looked(database.check_database, setup))[1:] == [
        ("failed", f"There is no schema {database_schema}, and we may not create it.")
    ]
    async with Database(database_url, database_schema, 3).running(lambda one: migrate(one, database_schema)):
        pass
    ((_, _), (status, sentence)) = await looked(database.check_database, setup)
    assert (status, f"We may not read and write {database_schema}." in sentence) == ("failed", True)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        (f"postgresql://t:{PASSWORD}@127.0.0.1:1/t", "cannot be used"),
        (f"mysql://t:{PASSWORD}@127.0.0.1/t", "is not an address of PostgreSQL"),
        (f"postgresql://t:{PASSWORD}@127.0.0.1/t?sslmode=nonsense", "sslmode has to be one of"),
    ],
)
async def test_a_database_that_cannot_be_used_is_told_without_its_password(url: str, reason: str) -> None:
    ((status, sentence),) = await looked(database.check_database, setup_of(url=url))
    assert (status, reason in sentence) == ("failed", True), sentence
