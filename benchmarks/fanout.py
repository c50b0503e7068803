"""CPU of a websocket-gateway by message: `python benchmarks/fanout.py [--sessions 200] [--clients 1000]`.

Records of the stream are made up, so that there is no Kafka and no timeline; routes, readers and sockets are real. CPU
is that of this process, which is the gateway: it holds on a busy machine, too. Clients are a process of their own.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import uvloop
from aiokafka import ConsumerRecord
from clients_process import Found, Plan
from prometheus_client import CollectorRegistry
from saying import say

from tarsy_auth.session_groups import GroupLabels
from tarsy_bus.client.connection import Bus
from tarsy_contracts.api.visible_sessions import VisibleSessions
from tarsy_contracts.messages.chunks import LlmChunk
from tarsy_contracts.wire.envelope import envelope_of
from tarsy_contracts.wire.topics import QUEUE_PARTITIONS, Topics
from tarsy_processes.ports import free_port
from tarsy_service.http.websocket_frames import frame_writer
from tarsy_service.process.runner import run_services
from tarsy_service.process.service import Ready, Service
from tarsy_websocket_gateway.clients.client import Client
from tarsy_websocket_gateway.clients.connection import Connection
from tarsy_websocket_gateway.clients.hub import Hub
from tarsy_websocket_gateway.clients.routes import ClientLimit, websocket_routes
from tarsy_websocket_gateway.messages.feed import Feed
from tarsy_websocket_gateway.messages.history import History
from tarsy_websocket_gateway.messages.running_calls import Call
from tarsy_websocket_gateway.metrics import Metrics
from tarsy_websocket_gateway.streams.stream_reader import StreamReader

QUEUE = 1_000
IN_A_READ = 20
BETWEEN_READS = 0.002
SECONDS = 600.0
"""Clients end by their input, or after so long."""


class NoHistory:
    """Sessions of which nothing is known yet."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed

    def watch(self, session_id: str) -> None:
        return

    async def follow_list(self) -> None:
        return

    async def visibility(self, session_ids: Sequence[str], groups: GroupLabels) -> VisibleSessions:
        return VisibleSessions(visible=tuple(session_ids), hidden=())

    def list_running_calls(self, session_id: str) -> list[Call]:
        return self._feed.list_running_calls(session_id)

    async def history(self, session_id: str) -> History:
        return History()


class Gateway:
    def __init__(self) -> None:
        self.hub, self.feed, self.registry = Hub(), Feed(), CollectorRegistry()
        self.hub.open = True
        self.metrics = Metrics(self.registry)
        self.port = free_port()
        bus = Bus(bootstrap="127.0.0.1:1", topics=Topics("bench"), client="benchmark")
        self.stream = StreamReader(bus, self.feed, self.hub.publish, self.metrics)
        sessions = NoHistory(self.feed)
        self._router = websocket_routes(
            self.hub,
            lambda websocket: Connection(
                websocket, Client(frame_writer(websocket), QUEUE, sent=self.metrics.sent.inc), self.hub, sessions,
                self.metrics, time.time,
            ),
            self.metrics,
            ClientLimit(100_000),
        )  # fmt: skip

    def count_sent(self) -> float:
        return self.registry.get_sample_value("tarsy_websocket_gateway_messages_sent_total") or 0

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        stop, started = asyncio.Event(), asyncio.Event()

        async def run(ready: Ready) -> None:
            ready()
            await asyncio.Event().wait()

        service = Service(name="gateway", run=run, router=self._router)
        async with asyncio.TaskGroup() as group:
            group.create_task(
                run_services(
                    [service], host="127.0.0.1", port=self.port, registry=self.registry, shutdown_seconds=1,
                    on_ready=started.set, stop=stop,
                )
            )  # fmt: skip
            await started.wait()
            yield
            stop.set()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--clients", type=int, default=1_000)
    parser.add_argument("--tokens", type=int, default=50, help="of each session")
    parser.add_argument("--rounds", type=int, default=4)
    uvloop.run(run(parser.parse_args()))


async def run(given: argparse.Namespace) -> None:
    gateway, sessions = Gateway(), [str(uuid4()) for _ in range(given.sessions)]
    plan = Plan(gateway.port, SECONDS, [sessions[one % given.sessions] for one in range(given.clients)], 0)
    async with gateway.running():
        with clients(plan) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            await asyncio.to_thread(process.stdout.readline)
            for session_id in sessions:
                gateway.stream.watch(session_id, None)
            gateway.stream._offsets.place_sessions(set(sessions), dict.fromkeys(range(QUEUE_PARTITIONS), 0))
            began = time.process_time()
            await asyncio.to_thread(let_subscribe, process)
            while gateway.count_sent() < 2 * given.clients:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.01)
            say(f"to subscribe: {1e6 * (time.process_time() - began) / given.clients:.0f} us a client")
            for number in range(given.rounds):
                await measure(gateway, sessions, given, number * given.tokens)
            process.stdin.close()
            out = await asyncio.to_thread(process.stdout.read)
            found = Found(**json.loads(out))
            say(f"{found.messages} messages arrived, {1e6 * found.cpu_seconds / found.messages:.1f} us of clients each")


async def measure(gateway: Gateway, sessions: Sequence[str], given: argparse.Namespace, first: int) -> None:
    """One token a message: no session has two in a read."""
    records = [record(session_id, first + index) for index in range(given.tokens) for session_id in sessions]
    sent, began = gateway.count_sent(), time.process_time()
    for at in range(0, len(records), IN_A_READ):
        await gateway.stream.show(records[at : at + IN_A_READ])
        await asyncio.sleep(BETWEEN_READS)
    used = time.process_time() - began
    messages = gateway.count_sent() - sent
    say(f"{messages:.0f} messages of {len(records)} records: {used:.2f} s of CPU, {1e6 * used / messages:.1f} us each")


def record(session_id: str, index: int) -> "ConsumerRecord[bytes, bytes]":
    chunk = LlmChunk(
        call_id=f"{session_id}/l", execution_id=f"{session_id}/e", run=1, index=index, part="text",
        text=f"word {time.time()} ",
    )  # fmt: skip
    envelope = envelope_of(
        chunk, id=f"{session_id}/{index}", source="bench", subject=session_id, time=datetime.now(UTC)
    )
    key, value = session_id.encode(), chunk.to_bytes()
    headers = tuple(envelope.headers())
    return ConsumerRecord(
        "bench.stream", 0, index, int(time.time() * 1000), 1, key, value, None, len(key), len(value), headers
    )


@contextmanager
def clients(plan: Plan) -> Iterator[subprocess.Popen[bytes]]:
    program = [sys.executable, str(Path(__file__).with_name("clients_process.py")), json.dumps(asdict(plan))]
    process = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def let_subscribe(process: subprocess.Popen[bytes]) -> None:
    """All clients of the process, now."""
    assert process.stdin is not None
    process.stdin.write(f"{time.time()}\n".encode())
    process.stdin.flush()


if __name__ == "__main__":
    main()
