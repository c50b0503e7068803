"""Programs that consume the public topic, as other teams run them, and a topic for them."""

import os
import subprocess
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from tarsy_bus.connection import Bus
from tarsy_bus.log_writer import LogEntry, LogWriter
from tarsy_bus_kafka import make_ours
from tarsy_contracts.public.envelope import PublicEnvelope
from tarsy_contracts.public.model import PublicEvent
from tarsy_contracts.public.session_events import PublicSessionCompleted, PublicSessionFailed
from tarsy_contracts.topics import Topics

SESSION = "331ab85e-268a-5a26-9533-de21a57501a1"
COMPLETED = PublicSessionCompleted(analysis="It was DNS.", executive_summary="DNS.")
AGAIN = PublicSessionCompleted(analysis="It was DNS again.", executive_summary="DNS again.")
PARTITION = 3


def headers_of(number: int, event: PublicEvent) -> list[tuple[str, bytes]]:
    return PublicEnvelope(
        id=f"{number}",
        type=event.type,
        source="tarsy.events",
        subject=SESSION,
        time="2026-11-24T10:00:00.000Z",
        dataschema=event.dataschema(),
        sequence=number,
        log_offset=number,
    ).headers()


async def published_topic(bootstrap: str) -> Bus:
    """A public topic with two results, and repeats between them."""
    bus = Bus(bootstrap, Topics(f"t{uuid.uuid4().hex[:12]}"), client="test")
    await make_ours(bus, bus.topics.events)
    first, second, third = (1, PublicSessionFailed(error="e")), (2, COMPLETED), (5, AGAIN)
    entries = [
        LogEntry(SESSION.encode(), event.to_bytes(), headers_of(number, event))
        for number, event in [first, second, first, second, third]
    ]
    async with LogWriter(bus, bus.topics.events).running() as writer:
        await writer.append(PARTITION, entries)
    return bus


def lines_of(command: Sequence[str], folder: Path, bus: Bus, count: int) -> list[str]:
    """The first lines about the session that a program writes; logs of a library may lie between them."""
    with _running(command, folder, bus) as process:
        assert process.stdout is not None
        own = (line.decode().rstrip("\n") for line in process.stdout if line.startswith(SESSION.encode()))
        return [*islice(own, count)]


@contextmanager
def _running(command: Sequence[str], folder: Path, bus: Bus) -> Iterator["subprocess.Popen[bytes]"]:
    environment = os.environ | {"TARSY_KAFKA": bus.bootstrap, "TARSY_TOPIC_PREFIX": bus.topics.prefix}
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()
