"""`tarsy dead-letters`, on the real Kafka."""

import asyncio
import base64
import json
from datetime import UTC, datetime

import pytest
from aiokafka.admin import NewPartitions
from typer.testing import CliRunner, Result

from tarsy_bus.connection import Bus
from tarsy_bus.dead_letters import dead_letter
from tarsy_bus.publisher import NotWrittenError, Publisher
from tarsy_bus.topics_admin import admin
from tarsy_bus_kafka import read_all
from tarsy_cli.app import cli
from tarsy_testing import eventually

SECRET = b"password=hush \xff\x1b[2J"


async def bury(bus: Bus, *values: bytes) -> None:
    """Each value is an alert first, as somebody sent it."""
    async with Publisher(bus, source="tarsy/test", now=lambda: datetime.now(UTC)).running() as publisher:
        for number, value in enumerate(values):
            await publisher.write(
                bus.topics.alerts, key=f"k{number}".encode(), value=value, headers=[("from", b"them")]
            )
        for record in await read_all(bus, bus.topics.alerts):
            await dead_letter(publisher, record, f"no alert: {len(record.value or b'')} bytes")


async def listed(bus: Bus, *arguments: str) -> Result:
    given = ["dead-letters", "--kafka", bus.bootstrap, "--topic-prefix", bus.topics.prefix, *arguments]
    return await asyncio.to_thread(CliRunner().invoke, cli, given)


async def test_each_dead_letter_says_where_it_was_met_and_why(bus: Bus) -> None:
    await bury(bus, SECRET)
    result = await listed(bus)
    first, second = result.output.splitlines()
    assert f"{bus.topics.alerts}-" in first
    assert second == f"  no alert: {len(SECRET)} bytes ({len(SECRET)} bytes)"
    assert "hush" not in result.output
    raw = (await listed(bus, "--raw")).output.splitlines()[2:]
    assert raw == ["  from: them", "  key: k0", "  value: password=hush \\xff�[2J"]


async def test_dead_letters_in_partitions_that_somebody_added_are_listed(bus: Bus) -> None:
    async with admin(bus) as client:
        await client.create_partitions({bus.topics.dead_letters: NewPartitions(9)})
    headers = [("dead-letter-reason", b"it lies far out")]

    async def write() -> bool:
        async with Publisher(bus, source="tarsy/test", now=lambda: datetime.now(UTC)).running() as publisher:
            try:
                await publisher.write(bus.topics.dead_letters, key=b"k", value=b"v", headers=headers, partition=8)
            except NotWrittenError:
                return False
            return True

    await eventually(write, "the partition was added")
    found = json.loads((await listed(bus, "--json")).output)
    assert [(one["position"], one["reason"]) for one in found] == [("8:0", "it lies far out")]


async def test_programs_get_positions_and_with_raw_the_bytes(bus: Bus) -> None:
    await bury(bus, *(b"x" * size for size in range(1, 9)))
    result = await listed(bus, "--json", "--last", "2")
    found = json.loads(result.output)
    assert len(found) == 2
    assert {one["topic"] for one in found} == {bus.topics.alerts}
    assert all(one["value"] is None and one["offset"].isdecimal() for one in found)
    (last,) = json.loads((await listed(bus, "--json", "--raw", "-n", "1")).output)
    assert last["position"] == found[-1]["position"]
    assert len(base64.b64decode(last["value"])) == last["size"]


async def test_without_any_it_says_so_and_a_kafka_that_is_away_is_told(
    bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (await listed(bus)).output == "There is no dead letter.\n"
    assert (await listed(bus, "--json")).output == "[]\n"
    monkeypatch.setattr("tarsy_cli.dead_letters.command.SECONDS", 2.0)
    away = await asyncio.to_thread(CliRunner().invoke, cli, ["dead-letters", "--kafka", "127.0.0.1:1"])
    assert (away.exit_code, "cannot be used" in " ".join(away.output.split())) == (1, True)
