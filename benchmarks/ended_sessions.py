"""What sessions that ended cost at a start: `python benchmarks/ended_sessions.py [--ended 1000000] [--open 1000]`.

The log is made, not lived: heads and rows of sessions that ended, and open sessions with some events each. Timed are
the start of a timeline, of a websocket-gateway and of an orchestrator that takes all partitions over, until each is
ready; then their memory.
"""

import argparse
import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from uuid import uuid4

import asyncpg
import httpx2
import uvloop
from aiokafka import AIOKafkaProducer
from processes import used
from saying import load_told, say
from whole_system import Plan, Whole, prepared

from tarsy_bus.client.connection import producer
from tarsy_bus.log.writer import LogEntry, LogWriter
from tarsy_bus.topics.topics_admin import apply_topics
from tarsy_contracts.events.heads import SessionHead, Span, head_key
from tarsy_contracts.wire.envelope import Envelope, envelope_of, event_id
from tarsy_contracts.wire.topics import LOG_PARTITIONS
from tarsy_testing.story.story import READ, Story
from tarsy_testing.system.system import ServiceProcess

GIVE_UP_SECONDS = 600.0
OPEN = "select count(*) from tarsy.sessions where status = 'in_progress' and last_number = $1"
BOUND_MB, BOUND_SECONDS = 200, 10
INSERT = """
insert into tarsy.sessions (session_id, partition, last_number, last_event_id, status, created_at, completed_at)
select gen_random_uuid()::text, number % 12, 30, md5(number::text), 'completed', now(), now()
from generate_series(1, $1::int) as number
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ended", type=int, default=1_000_000)
    parser.add_argument("--open", type=int, default=1_000)
    given = parser.parse_args()
    plan = Plan(model_seconds=600, tool_seconds=1)
    with load_told(), prepared(plan) as whole:
        uvloop.run(run(whole, given.ended, given.open))


async def run(whole: Whole, ended: int, opened: int) -> None:
    await apply_topics(whole.bus)
    async with started(whole, "timeline"):
        pass
    await make_log(whole, ended, opened)
    await make_rows(whole, ended)
    say(f"{ended:,} sessions that ended and {opened:,} open ones; wanted: {BOUND_SECONDS} s and {BOUND_MB} MB each")
    async with started(whole, "timeline") as timeline:
        await projected(whole, opened)
    async with started(whole, "timeline", told=True) as timeline:
        whole.system.environment["TARSY_TIMELINE_URL"] = timeline.url
        async with started(whole, "websocket-gateway", told=True):
            pass
    async with started(whole, "orchestrator", told=True) as orchestrator:
        say(f"  of which from the assignment to deciding: {await recovery_seconds(orchestrator):.1f} s")


@asynccontextmanager
async def started(whole: Whole, service: str, *, told: bool = False) -> AsyncIterator[ServiceProcess]:
    """In the body it is ready."""
    began = time.monotonic()
    process = whole.system.start(service)
    while not await asyncio.to_thread(process.ready):
        if not process.alive or time.monotonic() - began > GIVE_UP_SECONDS:
            raise SystemExit(process.log.read_text(errors="replace")[-4000:])
        # Asked seldom: it starts on the same cores.
        await asyncio.sleep(0.25)
    seconds, cost = time.monotonic() - began, used(process.process.pid)
    if told:
        say(
            f"{service}: ready {seconds:.1f} s after the start of its process, "
            f"{cost.cpu_seconds:.1f} s of CPU, {cost.memory_mb:.0f} MB"
        )
    try:
        yield process
    finally:
        await asyncio.to_thread(process.stop)


async def make_log(whole: Whole, ended: int, opened: int) -> None:
    """Each partition of the log begins with a record of nobody: the sessions that ended lie before it, so to say."""
    writing = producer(whole.bus)
    await writing.start()
    try:
        async with LogWriter(whole.bus).running() as log:
            for partition in range(LOG_PARTITIONS):
                await log.append(partition, [LogEntry(b"nobody", b"", [])])
                heads = [*at_rest(ended // LOG_PARTITIONS)]
                for _ in range(opened // LOG_PARTITIONS):
                    session_id = str(uuid4())
                    entries, id = open_session(session_id)
                    heads.append((session_id, open_head(await log.append(partition, entries), id)))
                await write_heads(whole, writing, partition, iter(heads))
    finally:
        await writing.stop()


def at_rest(count: int) -> Iterator[tuple[str, SessionHead]]:
    for _ in range(count):
        id = uuid4()
        spans = (Span(first=0, last=0),)
        head = SessionHead(phase="rest", number=30, offset=0, event_id=id.hex, decided=-1, spans=spans)
        yield str(id), head


def open_head(offset: int, id: str) -> SessionHead:
    return SessionHead(phase="open", number=1, offset=offset, event_id=id, decided=-1, spans=())


def open_session(session_id: str) -> tuple[list[LogEntry], str]:
    """In the middle of its investigation, and the id of its first event."""
    story = Story().asking()
    for _ in range(2):
        story.when(story.answer("I look.", tools=(READ,)))
        call = story.call_ids[-1]
        story.when(story.claim(call))
        story.when(story.result(call, "x" * 2_000))
    entries, previous, first = [], None, ""
    for number, record in enumerate(story.log, 1):
        value = record.event.to_bytes() if record.event else b""
        time, type = record.envelope.time, record.envelope.type
        id = event_id(previous=previous, type=type, subject=session_id, sequence=number, time=time, value=value)
        envelope = Envelope(
            id=id, type=type, version=1, source="benchmark", subject=session_id, time=time, sequence=number,
            previous=previous, decided=-1,
        )  # fmt: skip
        entries.append(LogEntry(session_id.encode(), value, envelope.headers()))
        previous, first = id, first or id
    return entries, first


async def write_heads(
    whole: Whole, writing: AIOKafkaProducer, partition: int, heads: Iterator[tuple[str, SessionHead]]
) -> None:
    at = Story().now
    head = next(heads, None)
    while head is not None:
        batch = writing.create_batch()
        while head is not None:
            session_id, one = head
            envelope = envelope_of(one, id=str(uuid4()), source="orchestrator/o", subject=session_id, time=at)
            key = head_key(session_id, one.number).encode()
            if batch.append(timestamp=None, key=key, value=one.to_bytes(), headers=envelope.headers()) is None:
                break
            head = next(heads, None)
        batch.close()
        await (await writing.send_batch(batch, whole.bus.topics.heads, partition=partition))


async def make_rows(whole: Whole, ended: int) -> None:
    connection = await asyncpg.connect(whole.system.database_url)
    try:
        await connection.execute(INSERT, ended, timeout=GIVE_UP_SECONDS)
        await connection.execute("truncate tarsy.search_queue")  # they have no text
        await connection.execute("analyze tarsy.sessions")
    finally:
        await connection.close()


async def projected(whole: Whole, opened: int) -> None:
    """Raises TimeoutError."""
    wanted = opened // LOG_PARTITIONS * LOG_PARTITIONS
    entries, _ = open_session("counted")
    connection = await asyncpg.connect(whole.system.database_url)
    try:
        async with asyncio.timeout(GIVE_UP_SECONDS):
            while await connection.fetchval(OPEN, len(entries)) < wanted:  # noqa: ASYNC110 - the table tells nobody
                await asyncio.sleep(0.2)
    finally:
        await connection.close()


async def recovery_seconds(orchestrator: ServiceProcess) -> float:
    async with httpx2.AsyncClient(trust_env=False, timeout=GIVE_UP_SECONDS) as client:
        lines = (await client.get(f"{orchestrator.url}/metrics")).text.splitlines()
    found = [line for line in lines if line.startswith("tarsy_orchestrator_recovery_duration_seconds_sum")]
    return float(found[0].rsplit(" ", 1)[1])


if __name__ == "__main__":
    main()
