"""A record that is foreign, doubled, misplaced or ends what is not there changes nothing for any reader of a topic.

It does for no reader that begins anew either: each view is read again from the topic's beginning.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.liveness.heartbeats import Announcements
from tarsy_bus.log.head_reading import read_heads
from tarsy_bus.readers.catalog import CatalogEntries
from tarsy_bus.readers.held_sessions import read_held
from tarsy_bus.readers.partition_reader import Record, read_to_end
from tarsy_bus.topics.cluster_layout import read_recorded_partitions
from tarsy_contracts.events.heads import SessionHead, Span, head_key
from tarsy_contracts.messages.held import SessionSetAside, input_key, marker_key, position_headers
from tarsy_contracts.messages.workers import ServerCatalogued, WorkerAnnounced
from tarsy_contracts.wire.envelope import Headers, envelope_of
from tarsy_contracts.wire.message import Message
from tarsy_contracts.wire.topics import LOG_PARTITIONS

SESSION = "5ad4ab9f-4a4f-4a4f-8a4f-5ad4ab9f4a4f"
NOW = datetime(2026, 11, 28, tzinfo=UTC)
EVERYWHERE = range(LOG_PARTITIONS)


@dataclass(frozen=True)
class Written:
    """A record as its service writes it."""

    key: str
    value: bytes
    headers: Headers

    @classmethod
    def of(cls, key: str, message: Message, *, at: datetime = NOW) -> "Written":
        envelope = envelope_of(message, id="id", source="test", subject=SESSION, time=at)
        return cls(key, message.to_bytes(), envelope.headers())


async def heads(bus: Bus) -> object:
    stores = await read_heads(bus, EVERYWHERE)
    with ExitStack() as reading:
        for store in stores.values():
            reading.callback(store.close)
        return {number: (dict(store.all()), store.last, store.decided) for number, store in stores.items()}


async def held(bus: Bus) -> object:
    found = await read_held(bus, EVERYWHERE)
    return {number: {id: (one.why, [*one.inputs]) for id, one in of.items()} for number, of in found.items()}


async def catalog(bus: Bus) -> object:
    entries = CatalogEntries()
    await read_to_end(bus, bus.topics.catalog, {0: 0}, entries.take)
    return [entry.seen for entry in entries.all()]


async def workers(bus: Bus) -> object:
    announcements, found = Announcements(), list[WorkerAnnounced | None]()

    def take(record: Record) -> None:
        found.append(announcements.read(record))

    await read_to_end(bus, bus.topics.workers, {0: 0}, take)
    return [one for one in found if one is not None]


def announced(second: int, *, leaving: bool = False) -> Written:
    said = WorkerAnnounced(worker_id="w", service="tool-gateway", leaving=leaving)
    return Written.of("w", said, at=NOW.replace(second=second))


@dataclass(frozen=True)
class Case:
    """`of_sessions`: a record lies in the partition of its session."""

    view: Callable[[Bus], Awaitable[object]]
    written: tuple[Written, ...]
    of_sessions: bool = False
    strange: tuple[Written, ...] = ()


HEAD = SessionHead(
    phase="rest", number=9, offset=8, event_id="0" * 32, decided=3, spans=(Span(first=0, last=8),), ended="completed"
)
ASIDE = SessionSetAside(reason="decision", detail="KeyError")
SEEN = ServerCatalogued(server="git", worker_id="w", healthy=True, error="", tools=())
CASES: Mapping[str, Case] = {
    "heads": Case(
        heads,
        (Written.of(head_key(SESSION, 9), HEAD),),
        of_sessions=True,
        strange=(
            Written.of(head_key(SESSION, 7), HEAD),
            Written.of(head_key(SESSION, 10**30), HEAD.model_copy(update={"number": 10**30})),
        ),
    ),
    "held": Case(
        held,
        (Written.of(marker_key(SESSION), ASIDE), Written(input_key(SESSION, 4), b"{}", position_headers(4, NOW))),
        of_sessions=True,
        strange=(Written(f"input/{'9' * 40}/{SESSION}", b"{}", []),),
    ),
    "catalog": Case(
        catalog,
        (Written.of("git/w", SEEN),),
        strange=(Written.of("git/other", SEEN.model_copy(update={"healthy": False})),),
    ),
    "workers": Case(
        workers,
        (announced(1, leaving=True), announced(2), announced(3)),
        strange=(Written.of("other", WorkerAnnounced(worker_id="w", service="tool-gateway", leaving=True)),),
    ),
    "layout": Case(read_recorded_partitions, ()),
}


@pytest.fixture
async def publisher(bus: Bus) -> AsyncIterator[Publisher]:
    async with Publisher(bus, source="test", now=lambda: NOW).running() as publisher:
        yield publisher


@pytest.mark.parametrize("topic", CASES)
async def test_a_strange_record_changes_no_view(bus: Bus, publisher: Publisher, topic: str) -> None:
    case, name = CASES[topic], f"{bus.topics.prefix}.{topic}"
    own = bus.partition_of_session(SESSION) if case.of_sessions else 0

    async def write(one: Written, partition: int, *, tombstone: bool = False) -> None:
        key, value = one.key.encode(), None if tombstone else one.value
        await publisher.write(name, key=key, value=value, headers=[] if tombstone else one.headers, partition=partition)

    for one in case.written:
        await write(one, own)
    before = await case.view(bus)
    assert before
    strange = {
        "rubbish under no key": [Written("", b"rubbish", [])],
        "rubbish under a foreign key": [Written("a/b/c", b"{}", [])],
        "a record of another topic": [Written.of("x", WorkerAnnounced(worker_id="w", service="tool-gateway"))],
        "its own mistakes": case.strange,
    }
    for what, records in strange.items():
        for one in records:
            await write(one, own)
            assert await case.view(bus) == before, what
    for one in case.written[:1]:
        await write(one, own)
        assert await case.view(bus) == before, "doubled"
    await write(Written("nobody/7", b"", []), own, tombstone=True)
    assert await case.view(bus) == before, "a tombstone of nothing"
    if case.of_sessions:
        beside = (own + 1) % LOG_PARTITIONS
        for one in case.written:
            await write(one, beside)
            assert await case.view(bus) == before, "misplaced"
            await write(one, beside, tombstone=True)
            assert await case.view(bus) == before, "a misplaced tombstone"
