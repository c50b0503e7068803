"""`tarsy timeline rebuild` of a made log: `python benchmarks/rebuild.py [--events 1000000] [--processes 2]`.

The log holds whole investigations (several stages, agents side by side, summaries). Timed is the rebuild by its steps,
and beside it PostgreSQL's COPY of the same rows into the same tables: the least that writing them can take.
"""

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

from saying import load_told, say

from tarsy_bus.client.connection import Bus
from tarsy_bus.log.writer import LogEntry, LogWriter
from tarsy_bus.topics.topics_admin import apply_topics
from tarsy_contracts.wire.topics import Topics
from tarsy_embedded.jars import default_cache_dir
from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_embedded.postgres import EmbeddedPostgres
from tarsy_processes.ports import free_port
from tarsy_timeline.database import sql
from tarsy_timeline.database.single_connection import SingleConnection, connected
from tarsy_timeline.rebuild.fresh_schema import make_fresh_schema, make_indexes
from tarsy_timeline.rebuild.processes import RebuildTarget
from tarsy_timeline.rebuild.rebuild import RebuildPlan, fresh_schema_of, rebuild

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests-support"))
sys.path.insert(0, str(ROOT / "services/timeline/tests"))

from conftest import Session  # noqa: E402 - it lies beside the tests

from tarsy_testing.story.whole_chain import whole_chain  # noqa: E402 - it lies beside the tests

SCHEMA, COPIED = "tarsy", "copied"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    with load_told(), servers() as (bus, url):
        asyncio.run(run(bus, url, given.events, given.processes))


@contextmanager
def servers() -> Iterator[tuple[Bus, str]]:
    with tempfile.TemporaryDirectory() as folder:
        home, cache = Path(folder), default_cache_dir()
        kafka = EmbeddedKafka(home / "kafka", port=free_port(), cache_dir=cache, progress=lambda _: None)
        postgres = EmbeddedPostgres(home / "postgres", port=free_port(), progress=lambda _: None)
        with kafka, postgres:
            yield Bus(kafka.bootstrap, Topics("tarsy"), client="benchmark"), postgres.url


async def run(bus: Bus, url: str, events: int, processes: int) -> None:
    await apply_topics(bus)
    say(f"{await make_log(bus, events):,} events on the log")
    plan = RebuildPlan(RebuildTarget(bus, url, fresh_schema_of(SCHEMA)), SCHEMA, processes)
    steps = Steps()
    async with connected(url) as connection:
        await rebuild(plan, connection, steps)
        whole = steps.ended()
        say(f"rebuilt in {whole:.1f} s: {steps.events / whole:,.0f} events a second")
        seconds, rows = await copy(connection)
    say(
        f"COPY of the same {rows:,} rows, and their indexes: {seconds:.1f} s; the rebuild takes {whole / seconds:.1f} x"
    )


class Steps:
    """Seconds of each step."""

    def __init__(self) -> None:
        self.events = 0
        self._began = self._first = time.monotonic()
        self._current = ""

    def step(self, what: str) -> None:
        if self._current:
            say(f"  {time.monotonic() - self._began:6.1f} s  {self._current}")
        self._current, self._began = what, time.monotonic()

    def count(self, events: int) -> None:
        self.events += events

    def ended(self) -> float:
        self.step("")
        return time.monotonic() - self._first


async def make_log(bus: Bus, events: int) -> int:
    made = 0
    async with LogWriter(bus).running() as log:
        number = 0
        while made < events:
            id = str(UUID(int=number, version=4))
            session = Session(id=id).add(*whole_chain(id))
            entries = [LogEntry(id.encode(), value, envelope.headers()) for envelope, value in session.records]
            await log.append(number % bus.layout.log_partitions, entries)
            made, number = made + len(entries), number + 1
    return made


async def copy(connection: SingleConnection) -> tuple[float, int]:
    """Seconds, and rows."""
    indexes = await make_fresh_schema(connection, COPIED)
    seconds, rows = 0.0, 0
    with tempfile.TemporaryDirectory() as folder:
        for table in sorted(sql.tables()):
            file = Path(folder, table)
            await connection.copy_from_table(table, schema_name=SCHEMA, output=file, format="binary")
            began = time.monotonic()
            done = await connection.copy_to_table(table, schema_name=COPIED, source=file, format="binary")
            seconds, rows = seconds + time.monotonic() - began, rows + int(done.split()[-1])
    began = time.monotonic()
    await make_indexes(connection, COPIED, indexes)
    return seconds + time.monotonic() - began, rows


if __name__ == "__main__":
    main()
