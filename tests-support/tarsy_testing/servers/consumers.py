"""Programs that consume the public topic, as other teams run them, and a topic for them."""

import os
import re
import subprocess
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Self

from tarsy_bus.client.connection import Bus
from tarsy_bus.log.writer import LogEntry, LogWriter
from tarsy_contracts.public.envelope import PublicEnvelope
from tarsy_contracts.public.model import PublicEvent
from tarsy_contracts.public.session_events import PublicSessionCompleted, PublicSessionFailed
from tarsy_contracts.wire.topics import Topics
from tarsy_testing.servers.bus_kafka import make_ours

SESSION = "331ab85e-268a-5a26-9533-de21a57501a1"
COMPLETED = PublicSessionCompleted(analysis="It was DNS.", executive_summary="DNS.")
AGAIN = PublicSessionCompleted(analysis="It was DNS again.", executive_summary="DNS again.")
PARTITION = 3
RESULT = re.compile(r"[0-9a-f-]{36} .")


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
    process = subprocess.Popen(
        command, cwd=folder, env=_environment(bus), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


class RunningConsumer:
    """A program in the background. Its lines go to `file`, also those of the one that takes its place."""

    def __init__(self, command: Sequence[str], file: Path, bus: Bus) -> None:
        self._command = command
        self._file = file
        self._bus = bus
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def replace(self) -> None:
        """It dies at once, and another one is started."""
        self._end()
        self._start()

    def results(self) -> set[str]:
        """First lines of results; logs of a library may lie between them."""
        lines = self._file.read_text("utf-8").splitlines()
        return {line for line in lines if RESULT.match(line)}

    def _start(self) -> None:
        with self._file.open("ab") as printed:
            self._process = subprocess.Popen(
                self._command, env=_environment(self._bus), stdout=printed, stderr=subprocess.DEVNULL
            )

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()


def _environment(bus: Bus) -> dict[str, str]:
    return {**os.environ, "TARSY_KAFKA": bus.bootstrap, "TARSY_TOPIC_PREFIX": bus.topics.prefix}
