"""`tarsy heads rebuild` and the doctor's look at heads, on the real Kafka."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from typer.testing import CliRunner

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_cli.app import cli
from tarsy_cli.doctor.findings import CheckResult
from tarsy_cli.doctor.heads import check_heads
from tarsy_cli.doctor.runner import LimitedCheck, examine
from tarsy_cli.doctor.setup import Setup
from tarsy_contracts.events.heads import SessionHead, Span, head_key
from tarsy_contracts.wire.topics import LOG_PARTITIONS

HEAD = SessionHead(
    phase="rest", number=3, offset=7, event_id="0" * 32, decided=0, spans=(Span(first=0, last=7),), ended="completed"
)


def rebuilt(bus: Bus, partition: int, *more: str) -> tuple[int, str]:
    place = ["--kafka", bus.bootstrap, "--topic-prefix", bus.topics.prefix, "--partition", str(partition)]
    result = CliRunner().invoke(cli, ["heads", "rebuild", *place, *more])
    return result.exit_code, result.output


async def write_head(bus: Bus, session_id: str, partition: int) -> str:
    key = head_key(session_id, HEAD.number)
    async with Publisher(bus, source="test", now=lambda: datetime.now(UTC)).running() as publisher:
        await publisher.publish(bus.topics.heads, HEAD, key=key, id=key, subject=session_id, partition=partition)
    return key


async def seen(bus: Bus) -> list[CheckResult]:
    setup = Setup(home=Path(), config_dir=Path(), environ={}, bus=bus)
    return await examine(setup, {"heads": LimitedCheck(check_heads, 90)})


async def test_a_misplaced_head_is_found_and_gets_a_tombstone(bus: Bus) -> None:
    session_id = str(uuid4())
    beside = (bus.partition_of_session(session_id) + 1) % LOG_PARTITIONS
    assert [one.status for one in await seen(bus)] == ["ok"]
    key = await write_head(bus, session_id, beside)
    (found,) = await seen(bus)
    assert (found.status, key in found.sentence) == ("warning", True)
    assert f"tarsy heads rebuild --partition {beside}" in found.remedy
    for _ in range(2):
        code, said = await asyncio.to_thread(rebuilt, bus, beside, "--dry-run")
        assert (code, f"{key}: tombstone, as its session lies in another partition" in said) == (1, True)
    assert (await asyncio.to_thread(rebuilt, bus, beside))[0] == 0
    assert (await asyncio.to_thread(rebuilt, bus, beside, "--dry-run"))[0] == 0
    assert [one.status for one in await seen(bus)] == ["ok"]


async def test_heads_of_a_log_that_knows_none_of_them_stay_until_somebody_has_looked_at_it(bus: Bus) -> None:
    """The log may have been emptied: then heads are the last that know of its sessions."""
    session_id = str(uuid4())
    own = bus.partition_of_session(session_id)
    key = await write_head(bus, session_id, own)
    (found,) = await seen(bus)
    assert (found.status, "reading should go on at 8" in found.sentence) == ("failed", True)
    code, said = await asyncio.to_thread(rebuilt, bus, own)
    assert (code, "The log knows none of these heads" in said) == (1, True)
    assert [one.status for one in await seen(bus)] == ["failed"]
    code, said = await asyncio.to_thread(rebuilt, bus, own, "--log-is-right")
    assert (code, f"{key}: tombstone, as the log does not know it" in said) == (0, True)
    assert [one.status for one in await seen(bus)] == ["ok"]
