"""The public topic: `python benchmarks/publishing.py [--events 20000] [--sessions 200] [--seconds 20]`.

First, events through the publisher and the same bytes through a bare producer, in turns: events a second, and CPU of
the process. Then so many sessions are live, an event a second each, beside a projector with its PostgreSQL: how long
after the log the public topic has an event, by the stamps of the broker.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import batched
from pathlib import Path
from uuid import UUID

from opentelemetry.trace import NoOpTracer
from prometheus_client import CollectorRegistry
from saying import load_told, say

from tarsy_bus.connection import Bus
from tarsy_bus.log_writer import LogEntry, LogWriter
from tarsy_bus.partition_reader import Record, read_to_end
from tarsy_bus.topics_admin import apply_topics
from tarsy_contracts.public.mapping import public_envelope, public_event
from tarsy_contracts.recorded import RecordedEvent
from tarsy_contracts.topics import Topics
from tarsy_embedded.jars import default_cache_dir
from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_embedded.postgres import EmbeddedPostgres
from tarsy_processes.ports import free_port
from tarsy_timeline.database.migrations import migrate
from tarsy_timeline.database.pool import Database
from tarsy_timeline.metrics import Metrics
from tarsy_timeline.projection.checkpoint import LogIdentity, ProjectionCheckpoint
from tarsy_timeline.projection.event_publisher import EventPublisher, batches
from tarsy_timeline.projection.projector import PROJECTED_AT_ONCE, Projector

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests-support"))
sys.path.insert(0, str(ROOT / "services/timeline/tests"))

from conftest import Session  # noqa: E402 - it lies beside the tests

from tarsy_whole_chain import whole_chain  # noqa: E402 - it lies beside the tests

TURNS = 4
SCHEMA = "tarsy"
PARTITION = 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=20)
    given = parser.parse_args()
    with load_told(), servers() as (bus, url):
        asyncio.run(run(bus, url, given.events, given.sessions, given.seconds))


@contextmanager
def servers() -> Iterator[tuple[Bus, str]]:
    with tempfile.TemporaryDirectory() as folder:
        home, cache = Path(folder), default_cache_dir()
        kafka = EmbeddedKafka(home / "kafka", port=free_port(), cache_dir=cache, progress=lambda _: None)
        postgres = EmbeddedPostgres(home / "postgres", port=free_port(), progress=lambda _: None)
        with kafka, postgres:
            yield Bus(kafka.bootstrap, Topics("tarsy"), client="benchmark"), postgres.url


async def run(bus: Bus, url: str, events: int, sessions: int, seconds: int) -> None:
    await apply_topics(bus)
    await throughput(bus, made_records(events))
    await lag(bus, url, sessions, seconds)


def made_records(events: int) -> list[RecordedEvent]:
    """Accepted events of whole chains, as a projector hands them over."""
    found: list[RecordedEvent] = []
    number = 0
    while len(found) < events:
        session = made_session(number)
        found += [session.recorded(at) for at in range(1, len(session.records) + 1)]
        number += 1
    return found


def made_session(number: int) -> Session:
    id = str(UUID(int=number, version=4))
    return Session(id=id).add(*whole_chain(id))


async def throughput(bus: Bus, records: Sequence[RecordedEvent]) -> None:
    """Both write batches of what a projector reads at once, one in flight."""
    publisher = EventPublisher(bus, Metrics(CollectorRegistry()), lambda: datetime.now(UTC))
    bare = [entry for record in records if (entry := entry_of(bus, record)) is not None]
    figures: dict[str, list[tuple[float, float]]] = {"publisher": [], "bare producer": []}
    async with publisher.running(), LogWriter(bus, bus.topics.events).running() as writer:
        for _ in range(TURNS):
            began = time.perf_counter(), time.process_time()
            for some in batched(records, PROJECTED_AT_ONCE, strict=False):
                await publisher.publish(PARTITION, some)
            figures["publisher"].append(since(began))
            began = time.perf_counter(), time.process_time()
            for entries in batched(bare, PROJECTED_AT_ONCE, strict=False):
                for batch in batches(entries):
                    await writer.append(PARTITION, batch)
            figures["bare producer"].append(since(began))
    for name, turns in figures.items():
        wall, cpu = (statistics.median(turn[at] for turn in turns) for at in (0, 1))
        say(f"{name}: {len(bare) / wall:,.0f} events/s, {cpu / len(bare) * 1e6:.0f} us of CPU an event")
    ratio = statistics.median(
        one[1] / other[1] for one, other in zip(figures["publisher"], figures["bare producer"], strict=True)
    )
    say(f"CPU of the publisher: {ratio:.1f} x that of the bare producer ({len(bare):,} of {len(records):,} are public)")


def entry_of(bus: Bus, record: RecordedEvent) -> LogEntry | None:
    event = None if record.event is None else public_event(record.event)
    if event is None:
        return None
    headers = public_envelope(record, event, bus.topics.events).headers()
    return LogEntry(record.session_id.encode(), event.to_bytes(), headers)


def since(began: tuple[float, float]) -> tuple[float, float]:
    return time.perf_counter() - began[0], time.process_time() - began[1]


async def lag(bus: Bus, url: str, sessions: int, seconds: int) -> None:
    metrics = Metrics(CollectorRegistry())
    publisher = EventPublisher(bus, metrics, lambda: datetime.now(UTC))
    ready = asyncio.Event()
    async with Database(url, SCHEMA, 5).running(lambda one: migrate(one, SCHEMA)) as database, publisher.running():
        checkpoint = ProjectionCheckpoint(database)
        await checkpoint.begin(LogIdentity("c", "t"), dict.fromkeys(range(bus.layout.log_partitions), 0))
        projector = Projector(bus, checkpoint, metrics, NoOpTracer(), lambda: datetime.now(UTC), publisher=publisher)
        task = asyncio.create_task(projector.run(ready.set))
        await ready.wait()
        ids = await write_live(bus, sessions, seconds)
        delays = await delays_of(bus, ids)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    ordered = sorted(delays)
    p50, p99 = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)]
    say(f"lag behind the log, {sessions} live sessions, {len(ordered):,} events: p50 {p50} ms, p99 {p99} ms")


async def write_live(bus: Bus, sessions: int, seconds: int) -> set[str]:
    """An event a second of each session, spread over the second. Returns the ids of those that are public."""
    live = [made_session(1_000_000 + number) for number in range(sessions)]
    ids: set[str] = set()
    pause = 1 / sessions
    began = time.monotonic()
    async with LogWriter(bus).running() as writer:
        for at in range(min(seconds, len(live[0].records))):
            for number, session in enumerate(live):
                envelope, value = session.records[at]
                entry = LogEntry(session.id.encode(), value, envelope.headers())
                await writer.append(number % bus.layout.log_partitions, [entry])
                if public_event(session.recorded(at + 1).event) is not None:
                    ids.add(envelope.id)
                await asyncio.sleep(max(0.0, began + at + number * pause - time.monotonic()))
    return ids


async def delays_of(bus: Bus, ids: set[str]) -> list[int]:
    """Milliseconds between the stamps of both topics, of each event."""
    while True:
        public = await stamps(bus, bus.topics.events, ids)
        if public.keys() >= ids:
            break
        await asyncio.sleep(0.5)
    log = await stamps(bus, bus.topics.sessions, ids)
    return [public[id] - log[id] for id in ids]


async def stamps(bus: Bus, topic: str, ids: set[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    await read_to_end(bus, topic, dict.fromkeys(range(bus.layout.log_partitions), 0), taken(found, ids))
    return found


def taken(found: dict[str, int], ids: set[str]) -> Callable[[Record], None]:
    """The first of repeats counts."""

    def take(record: Record) -> None:
        id = dict(record.headers)["ce_id"].decode()
        if id in ids:
            found.setdefault(id, record.timestamp)

    return take


if __name__ == "__main__":
    main()
