"""Reading the catalog: whole, then on and on, with what is known of each entry's past."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from aiokafka import ConsumerRecord
from structlog.testing import capture_logs

from tarsy_bus.background_tasks import background_tasks
from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.readers import partition_reader
from tarsy_bus.readers.catalog import CatalogEntries, CatalogEntry, follow_catalog
from tarsy_bus.readers.partition_reader import Record
from tarsy_contracts.messages.spending import DaySpent, key_of_spending
from tarsy_contracts.messages.workers import CatalogTool, ServerCatalogued
from tarsy_contracts.wire.envelope import envelope_of
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.bus_kafka import make_topic


@dataclass
class Telling:
    publisher: Publisher
    entries: CatalogEntries = field(default_factory=CatalogEntries)
    read_through: asyncio.Event = field(default_factory=asyncio.Event)

    async def say(self, worker: str, *tools: str, error: str = "", misconfigured: bool = False) -> None:
        offered = tuple(CatalogTool(tool=name, description="", input_schema={}, repeatable=False) for name in tools)
        seen = ServerCatalogued(
            server="git", worker_id=worker, healthy=not error, error=error, tools=offered, misconfigured=misconfigured
        )
        topic = self.publisher.topics.catalog
        await self.publisher.publish(topic, seen, key=f"git/{worker}", id=str(uuid4()), subject="git")
        await asyncio.sleep(0.005)  # so that the next one has another stamp

    async def of(self, worker: str, error: str) -> CatalogEntry:
        """As soon as this is what the worker says."""

        async def look() -> CatalogEntry | None:
            found = [one for one in self.entries.all() if (one.seen.worker_id, one.seen.error) == (worker, error)]
            return found[0] if found else None

        return await eventually(look, f"{worker} says {error!r}")


@pytest.fixture
async def telling(bare: Bus) -> AsyncIterator[Telling]:
    await make_topic(bare, bare.topics.catalog)
    async with Publisher(bare, source="test", now=lambda: datetime.now(UTC)).running() as publisher:
        yield Telling(publisher)


async def test_what_was_there_is_read_through_before_anybody_is_told_so(
    bare: Bus, telling: Telling, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partition_reader, "READ_RECORDS", 1)
    await telling.say("a", "log")
    await telling.say("b", "log")
    known: list[int] = []

    def through() -> None:
        known.append(len(telling.entries.all()))
        telling.read_through.set()

    async with background_tasks(follow_catalog(bare, telling.entries.take, changed=lambda: None, read_through=through)):
        async with asyncio.timeout(90):
            await telling.read_through.wait()
        await telling.say("c", "log")
        await telling.of("c", "")
    assert known == [2]


async def test_an_empty_catalog_is_read_through_at_once(bare: Bus, telling: Telling) -> None:
    through = telling.read_through.set
    async with background_tasks(follow_catalog(bare, telling.entries.take, changed=lambda: None, read_through=through)):
        async with asyncio.timeout(90):
            await telling.read_through.wait()
    assert list(telling.entries.all()) == []


async def test_health_and_tools_are_as_old_as_they_were_the_same(bare: Bus, telling: Telling) -> None:
    await telling.say("a", "log")
    await telling.say("a", "log", error="down")
    async with background_tasks(
        follow_catalog(bare, telling.entries.take, changed=lambda: None, read_through=telling.read_through.set)
    ):
        down = await telling.of("a", "down")
        assert down.tools_since < down.health_since == down.appended_at

        await telling.say("a", "log", error="still down")
        still = await telling.of("a", "still down")
        assert (still.health_since, still.tools_since) == (down.health_since, down.tools_since)

        await telling.say("a", "log", error="wrong command", misconfigured=True)
        wrong = await telling.of("a", "wrong command")
        assert wrong.health_since == wrong.appended_at > still.health_since

        await telling.say("a", "log", "show")
        more = await telling.of("a", "")
        assert more.tools_since == more.health_since == more.appended_at


async def test_tombstones_and_what_cannot_be_read(bare: Bus, telling: Telling) -> None:
    await telling.say("a", "log")
    topic = telling.publisher.topics.catalog
    await telling.publisher.write(topic, key=b"git/a", value=b"{}", headers=[])
    await telling.publisher.write(topic, key=b"git/b", value=None, headers=[])
    async with background_tasks(
        follow_catalog(bare, telling.entries.take, changed=lambda: None, read_through=telling.read_through.set)
    ):
        async with asyncio.timeout(90):
            await telling.read_through.wait()
        assert [entry.tool_names for entry in telling.entries.all()] == [frozenset({"log"})]
        await telling.publisher.write(topic, key=b"git/a", value=None, headers=[])

        async def is_gone() -> bool:
            return not telling.entries.all()

        await eventually(is_gone, "the entry is gone")


def told(worker: str, at: datetime) -> Record:
    seen = ServerCatalogued(server="git", worker_id=worker, healthy=True, error="", tools=())
    envelope = envelope_of(seen, id="c", source="tool-gateway/g", subject="git", time=at)
    return ConsumerRecord(
        topic="catalog", partition=0, offset=0, timestamp=int(at.timestamp() * 1000), timestamp_type=1,
        key=f"git/{worker}".encode(), value=seen.to_bytes(), checksum=None, serialized_key_size=0,
        serialized_value_size=0, headers=tuple(envelope.headers()),
    )  # fmt: skip


def test_what_a_worker_has_not_said_for_an_hour_is_forgotten() -> None:
    """Killed gateways leave their entries behind: every reader kept all of them, for ever."""
    now, forgotten = datetime(2026, 11, 22, tzinfo=UTC), list[bytes]()
    entries = CatalogEntries(forgotten.append)
    for number in range(500):
        now += timedelta(minutes=1)
        entries.take(told(f"killed-{number}", now))
        entries.take(told("living", now))
    kept = {entry.seen.worker_id for entry in entries.all()}
    assert kept == {"living", *(f"killed-{number}" for number in range(439, 500))}
    assert forgotten == [f"git/killed-{number}".encode() for number in range(439)]


def test_what_is_said_of_actions_and_of_spendings_is_no_server_and_no_fault() -> None:
    entries = CatalogEntries()
    sums = DaySpent(day="2026-11-29", partition=3, next=8, scopes=())
    key = key_of_spending(sums.day, sums.partition)
    at = datetime(2026, 11, 29, tzinfo=UTC)
    envelope = envelope_of(sums, id="s", source="orchestrator/o", subject=key, time=at)
    record = replace(told("a", at), key=key.encode(), value=sums.to_bytes(), headers=tuple(envelope.headers()))
    with capture_logs() as logs:
        entries.take(record)
    assert ([*entries.all()], logs) == ([], [])
