"""`make bench`: the parts without a system, then the table of goals (table.py), and how loaded the machine was.

`python benchmarks/run.py [ROW ...]`: of the table only the rows whose names begin so; `parts` for none of them.
`run.py live [ROW ...]`: the table of live_table.py instead, each row with a verdict, in 12 minutes. Figures of one run
are comparable; runs are not.
"""

import gzip
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import uvloop
from live_table import LIVE_ROWS
from table import print_table

from tarsy_bus.acceptance import ChainTracker
from tarsy_bus.client.connection import Bus
from tarsy_bus.log.writer import LogEntry, LogWriter
from tarsy_bus.readers.partition_reader import PartitionReader
from tarsy_bus.readers.records import Delivery
from tarsy_bus.topics.topics_admin import apply_topics
from tarsy_contracts.wire.topics import Topics
from tarsy_embedded.jars import default_cache_dir
from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_masking.masker import Masker
from tarsy_processes.ports import free_port
from tarsy_session.evolve import evolve
from tarsy_session.state import NOT_STARTED, SessionState

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests-support"))

from tarsy_testing.story.story import READ, SESSION, Story  # noqa: E402 - it lies beside the tests

LOG = ROOT / "examples/incidents/crash-loop/logs/checkout-7c9d6f5b84-x2x7k.log.gz"


def main() -> None:
    say(f"load of the machine before: {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores")
    if sys.argv[1:2] == ["live"]:
        print_table(sys.argv[2:], LIVE_ROWS)
    else:
        parts()
        print_table(sys.argv[1:])
    say(f"load of the machine after: {os.getloadavg()[0]:.2f}")


def parts() -> None:
    masking()
    replay()
    with tempfile.TemporaryDirectory() as folder:
        kafka = EmbeddedKafka(
            Path(folder) / "kafka", port=free_port(), cache_dir=default_cache_dir(), progress=lambda _: None
        )
        with kafka:
            uvloop.run(append_and_read_back(kafka.bootstrap))


def masking() -> None:
    text = gzip.decompress(LOG.read_bytes()).decode()
    masker = Masker.default()
    seconds = timed(lambda: masker.mask(text))
    say(f"masking a log of {len(text) / 1e6:.1f} MB: {len(text) / 1e6 / seconds:.0f} MB/s")


def replay() -> None:
    """What an owner does with each event of a log that it takes over: accept, decode, evolve."""
    story = Story(max_iterations=1000).asking()
    for _ in range(200):
        story.when(story.answer("looking", tools=(READ,)))
        call = story.call_ids[-1]
        story.when(story.claim(call))
        story.when(story.result(call, "x" * 400))
    raw = [
        Delivery(
            envelope=record.envelope,
            value=record.event.to_bytes() if record.event else None,
            topic="log",
            partition=0,
            offset=record.offset,
            appended_at=record.appended_at,
        )
        for record in story.log
    ]

    def read() -> None:
        state: SessionState = NOT_STARTED
        chains = ChainTracker()
        for delivery in raw:
            if chains.accept(delivery.mark()):
                state = evolve(state, delivery.to_recorded_event())

    say(f"replay of a session of {len(raw)} events: {len(raw) / timed(read):,.0f} events/s")


async def append_and_read_back(bootstrap: str) -> None:
    bus = Bus(bootstrap=bootstrap, topics=Topics("bench"), client="bench")
    await apply_topics(bus)
    entry = LogEntry(SESSION.encode(), b"x" * 400, [("ce_id", b"1")])
    durations = []
    async with LogWriter(bus).running() as writer, PartitionReader(bus, bus.topics.sessions).running() as follower:
        follower.assign({0: 0})
        for _ in range(500):
            began = time.perf_counter()
            wanted = await writer.append(0, [entry] * 3) + 3
            while (records := await follower.read()) and records[-1].offset + 1 < wanted:
                pass
            durations.append((time.perf_counter() - began) * 1000)
    tail = statistics.quantiles(durations, n=100)
    say(f"append 3 events as one batch and read them back: p50 {tail[49]:.1f} ms, p99 {tail[98]:.1f} ms")


def timed(work: Callable[[], None] | Callable[[], str]) -> float:
    """Seconds of the fastest of five runs."""
    best = float("inf")
    for _ in range(5):
        began = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - began)
    return best


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
