"""`tarsy audit`, on the real Kafka."""

import asyncio
import json
import os
from datetime import UTC, datetime
from typing import Any

import pytest
from typer.testing import CliRunner

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.topics.topics_admin import apply_topics
from tarsy_cli.app import cli
from tarsy_contracts.messages.audit import ActRequested
from tarsy_contracts.wire.topics import Topics

CANCEL, REDRIVE = "POST /api/v1/sessions/{session_id}/cancel", "POST /api/v1/dead-letters/{letter_id}/redrive"
ACTS = (
    ActRequested(act=CANCEL, name="alice", door="api_key", credential="alice-laptop", session_id="aaa1"),
    ActRequested(act=CANCEL, name="bob", door="token", credential="sso", address="10.1.2.3", session_id="bbb2"),
    ActRequested(act=REDRIVE, name="bob", door="token", credential="sso", target={"letter_id": "7-1"}),
)


@pytest.fixture(scope="module")
def bus(kafka_bootstrap: str) -> Bus:
    bus = Bus(kafka_bootstrap, Topics(f"t{os.urandom(6).hex()}"), client="test")
    asyncio.run(filled(bus))
    return bus


async def filled(bus: Bus) -> None:
    """Three acts, and a record of a stranger."""
    await apply_topics(bus)
    async with Publisher(bus, source="tarsy/timeline", now=lambda: datetime.now(UTC)).running() as publisher:
        await publisher.write(bus.topics.audit, key=None, value=b"no act", headers=[])
        for number, act in enumerate(ACTS):
            await publisher.publish(bus.topics.audit, act, key=act.name, id=str(number), subject=act.act)


def output(bus: Bus, *arguments: str) -> str:
    place = ["--kafka", bus.bootstrap, "--topic-prefix", bus.topics.prefix]
    answer = CliRunner().invoke(cli, ["audit", *place, *arguments])
    assert answer.exit_code == 0, answer.output
    return answer.stdout


def acts(bus: Bus, *arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(output(bus, "--json", *arguments))["acts"]
    return found


def test_the_acts_of_everybody_come_with_the_newest_last(bus: Bus) -> None:
    found = acts(bus)
    assert [(act["name"], act["act"]) for act in found] == [(act.name, act.act) for act in ACTS]
    assert all(datetime.fromisoformat(act["time"]).tzinfo is not None for act in found)


def test_acts_are_chosen_by_person_key_session_and_number(bus: Bus) -> None:
    assert [act["session_id"] for act in acts(bus, "--name", "bob")] == ["bbb2", ""]
    assert [act["name"] for act in acts(bus, "--name", "alice-laptop")] == ["alice"]
    assert [act["name"] for act in acts(bus, "--session", "bbb")] == ["bob"]
    assert [act["act"] for act in acts(bus, "--limit", "1")] == [REDRIVE]


def test_a_person_reads_who_asked_for_what_and_from_where(bus: Bus) -> None:
    lines = output(bus, "--name", "bob").splitlines()
    assert f"bob  {CANCEL}" in lines[0]
    assert lines[1] == "  token by sso from 10.1.2.3  bbb2"
    assert lines[3] == "  token by sso from ?  letter_id=7-1"
    assert output(bus, "--name", "carol") == "Nobody has asked for a change.\n"
