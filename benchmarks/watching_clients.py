"""Live clients of one websocket-gateway: `python benchmarks/watching_clients.py --sessions 100 --clients 300`.

It prints when all clients were subscribed, the time from a token on the stream to a client, and the CPU of the gateway
and of the timeline. Kafka, PostgreSQL, timeline and gateway are real. The tokens are written to the stream by this
process, `--rate` a second for each session, so that nothing in front of the gateway is measured. Streams have run for
`--running` seconds when the clients come. A yardstick of the same run stands beside: round trips to Kafka, and a loop
of Python. `--stalled` clients subscribe and never read again; `--gateway FOLDER` takes
the gateway and the timeline of another checkout.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import uvloop
from aiokafka import AIOKafkaProducer
from clients_process import Found, Plan
from processes import used
from saying import load_told, say, tail
from whole_system import ROOT, servers

from tarsy_bus.client.connection import Bus, producer
from tarsy_bus.log.writer import LogEntry, LogWriter
from tarsy_bus.topics.topics_admin import apply_topics
from tarsy_contracts import events as e
from tarsy_contracts.alert import Alert
from tarsy_contracts.chain import ResolvedAgent, ResolvedChain, ResolvedStage
from tarsy_contracts.conversation import Usage
from tarsy_contracts.messages.chunks import LlmChunk
from tarsy_contracts.wire.envelope import Envelope, envelope_of, event_id
from tarsy_contracts.wire.message import Message
from tarsy_contracts.wire.topics import Topics
from tarsy_processes.ports import free_port

WAIT_SECONDS = 120.0
ITERATIONS = 4
STAMPED = 5
"""Of so many tokens one carries the time: they are as long as a model's on the average."""
YARDSTICK_TRIPS, YARDSTICK_STEPS = 200, 2_000_000
BEGIN_SECONDS = 1.0
AGENT = ResolvedAgent(name="looker", llm_provider="bench", max_iterations=20)
CHAIN = ResolvedChain(
    chain_id="bench", stages=(ResolvedStage(name="look", agents=(AGENT,)),), summary_llm_provider="bench"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--clients", type=int, default=300)
    parser.add_argument("--stalled", type=int, default=0)
    parser.add_argument("--rate", type=float, default=50.0, help="tokens a second of each session")
    parser.add_argument("--running", type=float, default=30.0, help="seconds before clients come")
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--processes", type=int, default=2, help="of clients")
    parser.add_argument("--gateway", type=Path, default=ROOT, help="a checkout that was set up")
    given = parser.parse_args()
    with (
        load_told(),
        tempfile.TemporaryDirectory(prefix="tarsy-bench-", ignore_cleanup_errors=True) as name,
        servers(Path(name)) as (kafka, postgres),
    ):
        bus = Bus(bootstrap=kafka.bootstrap, topics=Topics("tarsy"), client="benchmark")
        uvloop.run(run(bus, postgres.url, kafka.pid, given))


async def run(bus: Bus, database_url: str, kafka: int, given: argparse.Namespace) -> None:
    await apply_topics(bus)
    timeline_port, gateway_port = free_port(), free_port()
    timeline_url = f"http://127.0.0.1:{timeline_port}"
    common = {"TARSY_KAFKA": bus.bootstrap, "TARSY_LOG_LEVEL": "WARNING", "TARSY_TIMELINE_URL": timeline_url}
    database = {"TARSY_DATABASE": database_url, "TARSY_DATABASE_SCHEMA": "tarsy"}
    with (
        service("tarsy_timeline", given.gateway, common | database, timeline_port) as timeline,
        service("tarsy_websocket_gateway", given.gateway, common, gateway_port) as gateway,
    ):
        for port in (timeline_port, gateway_port):
            await until_ready(port)
        sessions = [Session() for _ in range(given.sessions)]
        await write(bus, sessions)
        async with httpx2.AsyncClient(trust_env=False, timeout=WAIT_SECONDS) as client:
            for session in sessions:
                path = f"/internal/v1/sessions/{session.id}/history?at_least={len(session.records)}"
                (await client.get(timeline_url + path)).raise_for_status()
        pids = {"gateway": gateway.pid, "timeline": timeline.pid, "Kafka": kafka}
        await measure(bus, sessions, gateway_port, pids, given)


async def measure(
    bus: Bus, sessions: Sequence["Session"], port: int, pids: dict[str, int], given: argparse.Namespace
) -> None:
    await tell_yardstick(bus)
    async with streaming(bus, sessions, given.rate):
        await asyncio.sleep(given.running)
        watched = [sessions[place % len(sessions)].id for place in range(given.clients)]
        processes = [
            clients(Plan(port, given.seconds, watched[one :: given.processes], given.stalled if one == 0 else 0))
            for one in range(given.processes)
        ]
        for one in processes:
            await asyncio.to_thread(connected, one)
        before, began, own = {name: used(pid) for name, pid in pids.items()}, time.monotonic(), time.process_time()
        written = sum(one.chunks for one in sessions)
        at = time.time() + BEGIN_SECONDS
        found = [
            Found(**json.loads(out))
            for out in await asyncio.gather(*(asyncio.to_thread(subscribed, one, at) for one in processes))
        ]
        took = time.monotonic() - began
        after = {name: used(pid) for name, pid in pids.items()}
        own = time.process_time() - own
        written = sum(one.chunks for one in sessions) - written
    confirmed = sorted(second for one in found for second in one.confirmed)
    late = [milliseconds for one in found for milliseconds in one.late]
    settled = [milliseconds for one in found for milliseconds in one.settled]
    messages, closed = sum(one.messages for one in found), sum(one.closed for one in found)
    say(f"{given.sessions} sessions x {given.rate:g} tokens/s for {given.running:g} s before, {given.clients} clients, "
        f"{given.stalled} stalled")  # fmt: skip
    if not confirmed:
        say(f"subscribed: 0 of {given.clients}")
        return
    say(f"subscribed: {len(confirmed)} of {given.clients}, half after {statistics.median(confirmed):.2f} s, "
        f"all after {confirmed[-1]:.2f} s")  # fmt: skip
    say(f"token to client: {tail(late)}")
    say(f"token to client, a second later: {tail(settled)}")
    for name, end in after.items():
        cpu = end.cpu_seconds - before[name].cpu_seconds
        say(f"{name}: {cpu:.2f} s of CPU in {took:.1f} s, {end.memory_mb:.0f} MB")
    each = 1e6 * (after["gateway"].cpu_seconds - before["gateway"].cpu_seconds) / messages
    say(f"{messages} messages, {each:.1f} us of the gateway's CPU each; {closed} clients closed")
    shares = " and ".join(f"{one.cpu_seconds:.2f}" for one in found)
    say(f"CPU of clients {shares} s, of who writes {written} tokens {own:.2f} s")


async def tell_yardstick(bus: Bus) -> None:
    """What the machine does now, before anything streams."""
    began = time.process_time()
    sum(range(YARDSTICK_STEPS))
    loop = (time.process_time() - began) * 1000
    trips, client = [], producer(bus)
    await client.start()
    try:
        for _ in range(YARDSTICK_TRIPS):
            began = time.monotonic()
            await client.send_and_wait(bus.topics.stream, value=b"x", partition=0)
            trips.append((time.monotonic() - began) * 1000)
    finally:
        await client.stop()
    say(f"yardstick: Kafka {tail(trips)}; a loop of {YARDSTICK_STEPS:,} steps {loop:.0f} ms")


def clients(plan: Plan) -> subprocess.Popen[bytes]:
    """Says when all are connected, is told when to subscribe, and prints what they found."""
    program = [sys.executable, str(Path(__file__).with_name("clients_process.py")), json.dumps(asdict(plan))]
    return subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def connected(process: subprocess.Popen[bytes]) -> None:
    assert process.stdout is not None
    process.stdout.readline()


def subscribed(process: subprocess.Popen[bytes], at: float) -> bytes:
    """What the clients found that subscribed at this time."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{at}\n".encode())
    process.stdin.flush()
    return process.stdout.read()


class Session:
    """Some iterations of an agent, and a call of the model that runs."""

    def __init__(self) -> None:
        self.id = str(uuid.uuid4())
        self.records: list[tuple[Envelope, bytes]] = []
        self.chunks = 0
        execution = f"{self.id}/e"
        agent = {"execution_id": execution, "stage_id": f"{self.id}/st", "agent": "looker", "index": 1}
        alert = Alert(alert_type="bench", data="the pod restarts " * 50, source="api", author="bench")
        self._add(e.SessionStarted(input_id="i", alert=alert, chain=CHAIN))
        self._add(e.StageStarted(stage_id=f"{self.id}/st", index=1, name="look"))
        self._add(e.ExecutionStarted.model_validate({**agent, "system": "", "prompt": "", "tools": ()}))
        for number in range(ITERATIONS):
            self._iteration(execution, number)
        self.call = f"{self.id}/l{ITERATIONS}"
        self._asked(self.call, execution, ITERATIONS)

    def _asked(self, call: str, execution: str, number: int) -> None:
        self._add(
            e.LlmCallRequested(
                llm_call_id=call, execution_id=execution, iteration=number, attempt=0, purpose="iteration"
            )
        )

    def _iteration(self, execution: str, number: int) -> None:
        call, tool = f"{self.id}/l{number}", f"{self.id}/c{number}"
        self._asked(call, execution, number)
        self._add(
            e.LlmCallCompleted(
                llm_call_id=call, execution_id=execution, thinking="hm " * 50, text="I look. " * 20, tool_calls=(),
                usage=Usage(), model="m1", duration_ms=5,
            )
        )  # fmt: skip
        self._add(
            e.ToolCallRequested(
                call_id=tool, execution_id=execution, llm_call_id=call, server="k8s", tool="pods", arguments={},
                repeatable=True, timeout_seconds=60,
            )
        )  # fmt: skip
        self._add(e.ToolCallStarted(call_id=tool, claim_id="c1", worker_id="w1"))
        self._add(e.ToolCallCompleted(call_id=tool, outcome="ok", content="a line of a pod\n" * 100))

    def _add(self, message: Message) -> None:
        number, value = len(self.records), message.to_bytes()
        previous = self.records[-1][0].id if number else None
        at = datetime.now(UTC) + timedelta(milliseconds=number)
        digest = event_id(
            previous=previous, type=message.type, subject=self.id, sequence=number + 1, time=at, value=value
        )
        envelope = Envelope(
            id=digest, type=message.type, version=message.version, source="bench", subject=self.id, time=at,
            sequence=number + 1, previous=previous, decided=number,
        )  # fmt: skip
        self.records.append((envelope, value))

    def chunk(self) -> LlmChunk:
        self.chunks += 1
        text = f"word {time.time()} " if self.chunks % STAMPED == 0 else "token "
        return LlmChunk(
            call_id=self.call, execution_id=f"{self.id}/e", run=1, index=self.chunks, part="text", text=text
        )


async def write(bus: Bus, sessions: Sequence[Session]) -> None:
    async with LogWriter(bus).running() as writer:
        for session in sessions:
            entries = [
                LogEntry(key=session.id.encode(), value=value, headers=one.headers()) for one, value in session.records
            ]
            await writer.append(bus.partition_of(bus.topics.sessions, session.id.encode()) or 0, entries)


@asynccontextmanager
async def streaming(bus: Bus, sessions: Sequence[Session], rate: float) -> AsyncIterator[None]:
    """Each session has its own moment in each turn, as models do not answer in step."""
    client = producer(bus)
    await client.start()
    task = asyncio.create_task(stream(bus, client, sessions, rate))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])
        await client.stop()
    if not task.cancelled():
        task.result()  # a writer that failed makes every figure wrong


async def stream(bus: Bus, client: AIOKafkaProducer, sessions: Sequence[Session], rate: float) -> None:
    begin, count, topic = time.monotonic(), 0, bus.topics.stream
    while True:
        due = int((time.monotonic() - begin) * rate * len(sessions))
        while count < due:
            session = sessions[count % len(sessions)]
            chunk, key = session.chunk(), session.id.encode()
            envelope = envelope_of(
                chunk, id=f"{session.call}/{count}", source="bench", subject=session.id, time=datetime.now(UTC)
            )
            await client.send(
                topic, value=chunk.to_bytes(), key=key, headers=envelope.headers(),
                partition=bus.partition_of(topic, key),
            )  # fmt: skip
            count += 1
        await asyncio.sleep(0.002)


@contextmanager
def service(module: str, checkout: Path, environment: dict[str, str], port: int) -> Iterator[subprocess.Popen[bytes]]:
    python = checkout / ".venv" / "bin" / "python"
    process = subprocess.Popen(
        [python, "-m", module], env={**os.environ, **environment, "TARSY_HTTP_PORT": str(port)}, cwd=checkout
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(60)


async def until_ready(port: int) -> None:
    async with httpx2.AsyncClient(trust_env=False) as client:
        async with asyncio.timeout(WAIT_SECONDS):
            while True:
                try:
                    if (await client.get(f"http://127.0.0.1:{port}/ready")).status_code == 200:
                        return
                except (OSError, httpx2.HTTPError):
                    pass
                await asyncio.sleep(0.2)


if __name__ == "__main__":
    main()
