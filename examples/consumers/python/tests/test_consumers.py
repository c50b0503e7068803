"""The consumers in Python: with FastStream's broker for tests, and as programs on the real one."""

import asyncio
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import pytest
from faststream.kafka import TestKafkaBroker

from tarsy_bus.connection import Bus
from tarsy_bus.log_writer import LogEntry, LogWriter
from tarsy_bus_kafka import make_ours
from tarsy_contracts.public.envelope import PublicEnvelope
from tarsy_contracts.public.model import PublicEvent
from tarsy_contracts.public.session_events import PublicSessionCompleted, PublicSessionFailed, PublicSessionReopened
from tarsy_contracts.topics import Topics

FOLDER = Path(__file__).parents[1]
sys.path.append(str(FOLDER))

import first  # noqa: E402 - programs of a folder of their own, as people copy them
import once  # noqa: E402
from kafka_of_tarsy import TOPIC  # noqa: E402

SESSION = "331ab85e-268a-5a26-9533-de21a57501a1"
COMPLETED = PublicSessionCompleted(analysis="It was DNS.", executive_summary="DNS.")


def headers_of(number: int, event: PublicEvent) -> list[tuple[str, bytes]]:
    return PublicEnvelope(
        id=f"{number}", type=event.type, source="tarsy.events", subject=SESSION, time="2026-11-24T10:00:00.000Z",
        dataschema=event.dataschema(), sequence=number, log_offset=number,
    ).headers()  # fmt: skip


async def send(broker: TestKafkaBroker, number: int, event: PublicEvent) -> None:
    headers = {name: value.decode() for name, value in headers_of(number, event)}
    async with broker as sending:
        await sending.publish(event.to_bytes(), TOPIC, headers=headers)


async def test_the_first_consumer_prints_results_and_leaves_out_the_rest(capsys: pytest.CaptureFixture[str]) -> None:
    for number, event in enumerate([PublicSessionReopened(), COMPLETED], 1):
        await send(TestKafkaBroker(first.broker), number, event)
    assert capsys.readouterr().out == f"{SESSION} DNS.\n"


async def test_the_second_consumer_drops_repeats_and_late_events(capsys: pytest.CaptureFixture[str]) -> None:
    for number, event in [(1, PublicSessionReopened()), (3, COMPLETED), (1, PublicSessionReopened()), (3, COMPLETED)]:
        await send(TestKafkaBroker(once.broker), number, event)
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"{SESSION} 1 PublicSessionReopened", f"{SESSION} 3 PublicSessionCompleted"]


@pytest.fixture
async def published(kafka_bootstrap: str) -> Bus:
    """A public topic with an event that lies there twice."""
    bus = Bus(kafka_bootstrap, Topics(f"t{uuid.uuid4().hex[:12]}"), client="test")
    await make_ours(bus, bus.topics.events)
    events = [(1, PublicSessionFailed(error="e")), (1, PublicSessionFailed(error="e")), (2, COMPLETED)]
    entries = [LogEntry(SESSION.encode(), event.to_bytes(), headers_of(number, event)) for number, event in events]
    async with LogWriter(bus, bus.topics.events).running() as writer:
        await writer.append(3, entries)
    return bus


@pytest.mark.parametrize(
    ("program", "lines"),
    [
        ("first.py", [f"{SESSION} DNS."]),
        ("once.py", [f"{SESSION} 1 PublicSessionFailed", f"{SESSION} 2 PublicSessionCompleted"]),
    ],
)
async def test_a_program_sees_the_events_of_a_real_topic(published: Bus, program: str, lines: list[str]) -> None:
    with running(published, program) as process:
        found = await asyncio.to_thread(lambda: [*islice(own_lines(process), len(lines))])
    assert found == lines


def own_lines(process: "subprocess.Popen[bytes]") -> Iterator[str]:
    """FastStream writes its log to the same output."""
    assert process.stdout is not None
    return (line.decode().rstrip("\n") for line in process.stdout if line.startswith(SESSION.encode()))


@contextmanager
def running(bus: Bus, program: str) -> Iterator["subprocess.Popen[bytes]"]:
    environment = os.environ | {"TARSY_KAFKA": bus.bootstrap, "TARSY_TOPIC_PREFIX": bus.topics.prefix}
    process = subprocess.Popen(
        [sys.executable, program], cwd=FOLDER, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()
