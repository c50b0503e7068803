"""`tarsy events` and `tarsy export --cloud-events`, on the real Kafka."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tarsy_bus.client.connection import Bus
from tarsy_bus.log.writer import LogEntry, LogWriter
from tarsy_bus.topics.topics_admin import apply_topics
from tarsy_cli.app import cli
from tarsy_cli.events.commands import cloud_events_of
from tarsy_contracts.public.envelope import PublicEnvelope
from tarsy_contracts.public.model import PublicEvent
from tarsy_contracts.public.session_events import PublicSessionFailed, PublicSessionReopened
from tarsy_contracts.wire.partitioning import partition_of
from tarsy_contracts.wire.topics import LOG_PARTITIONS, Topics

END_SECONDS = 60
FIRST, SECOND = "aaa", "bbb"


@pytest.fixture(scope="module")
def bus(kafka_bootstrap: str) -> Bus:
    """A public topic with two sessions, one of whose events lies there twice, and a record of a stranger."""
    bus = Bus(kafka_bootstrap, Topics(f"t{os.urandom(6).hex()}"), client="test")
    asyncio.run(filled(bus))
    return bus


async def filled(bus: Bus) -> None:
    await apply_topics(bus)
    await publish(bus, FIRST, *entries(FIRST, [PublicSessionFailed(error="e"), PublicSessionReopened()]))
    repeated = entries(SECOND, [PublicSessionFailed(error="ü")])
    await publish(bus, SECOND, *repeated, *repeated, LogEntry(SECOND.encode(), b"no JSON", []))


def entries(session: str, events: list[PublicEvent]) -> list[LogEntry]:
    return [entry(session, number, event) for number, event in enumerate(events, 1)]


def entry(session: str, number: int, event: PublicEvent) -> LogEntry:
    envelope = PublicEnvelope(
        id=f"{session}{number}", type=event.type, source="tarsy.events", subject=session,
        time="2026-11-24T10:00:00.000Z", dataschema=event.dataschema(), sequence=number, log_offset=number,
    )  # fmt: skip
    return LogEntry(session.encode(), event.to_bytes(), envelope.headers())


async def publish(bus: Bus, session: str, *entries: LogEntry) -> None:
    async with LogWriter(bus, bus.topics.events).running() as writer:
        await writer.append(partition_of(session.encode(), LOG_PARTITIONS), entries)


def shown(bus: Bus, *arguments: str) -> list[dict[str, Any]]:
    place = ["--kafka", bus.bootstrap, "--topic-prefix", bus.topics.prefix]
    answer = CliRunner().invoke(cli, ["events", "--no-follow", *place, *arguments])
    assert answer.exit_code == 0, answer.output
    return [json.loads(line) for line in answer.stdout.splitlines()]


def ids(events: list[dict[str, Any]]) -> set[str]:
    return {event["id"] for event in events}


def test_each_event_is_a_line_of_json_and_comes_once(bus: Bus) -> None:
    events = shown(bus)
    assert sorted(event["id"] for event in events) == ["aaa1", "aaa2", "bbb1"]
    (third,) = [event for event in events if event["id"] == "bbb1"]
    assert third == {
        "specversion": "1.0", "id": "bbb1", "type": "tarsy.session.failed", "source": "tarsy.events",
        "subject": "bbb", "time": "2026-11-24T10:00:00.000Z", "sequence": "1",
        "dataschema": "urn:tarsy:public:tarsy.session.failed:1", "datacontenttype": "application/json",
        "data": {"error": "ü"},
    }  # fmt: skip


def test_events_are_chosen_by_session_and_type(bus: Bus) -> None:
    assert ids(shown(bus, "--session", "aa")) == {"aaa1", "aaa2"}
    assert ids(shown(bus, "--type", "session.failed")) == {"aaa1", "bbb1"}
    assert ids(shown(bus, "--type", "tarsy.session.re*", "--type", "stage.*")) == {"aaa2"}


def test_a_session_is_a_json_batch_of_cloud_events(bus: Bus, tmp_path: Path) -> None:
    batch = json.loads(cloud_events_of(tmp_path, FIRST, bus.bootstrap, bus.topics.prefix))
    assert [(event["id"], event["sequence"]) for event in batch] == [("aaa1", "1"), ("aaa2", "2")]


def test_a_kafka_that_does_not_answer_is_a_sentence() -> None:
    answer = CliRunner().invoke(cli, ["events", "--no-follow", "--kafka", "127.0.0.1:9"])
    assert answer.exit_code == 1
    assert "Kafka at 127.0.0.1:9 cannot be used" in " ".join(answer.output.split())


@pytest.fixture
def follower(bus: Bus) -> Iterator["subprocess.Popen[bytes]"]:
    """A `tarsy events` that has shown the first event, and waits for more."""
    arguments = ["events", "--from-beginning", "--kafka", bus.bootstrap, "--topic-prefix", bus.topics.prefix]
    # A shell without job control lets what it starts in the background ignore SIGINT, and that is inherited.
    inherited = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "tarsy_cli", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    finally:
        signal.signal(signal.SIGINT, inherited)
    try:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["specversion"] == "1.0"
        yield process
    finally:
        process.kill()
        process.communicate()


def test_it_ends_without_a_traceback_when_nobody_reads_any_longer(
    bus: Bus, follower: "subprocess.Popen[bytes]"
) -> None:
    assert follower.stdout is not None
    assert follower.stderr is not None
    follower.stdout.close()
    asyncio.run(publish(bus, "ccc", *entries("ccc", [PublicSessionReopened()])))
    assert follower.wait(END_SECONDS) == 0
    assert follower.stderr.read() == b""


def test_it_ends_without_a_traceback_when_it_is_interrupted(follower: "subprocess.Popen[bytes]") -> None:
    follower.send_signal(signal.SIGINT)
    assert follower.wait(END_SECONDS) == 130
    assert follower.stderr is not None
    assert follower.stderr.read() == b""
