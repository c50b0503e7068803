"""17 MB in one block, several at once, over stdio and HTTP: stored whole, in bounded memory, and in nobody's way."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from gateway_owner import Owner, call

from chaos.gateways import over_http, over_stdio, prepared
from chaos.hostile import HostileServer
from chaos.hostile_server import block
from chaos.memory import resident, watched
from chaos.playing import Playing, playing
from tarsy_bus.readers.partition_reader import Record, read_to_end
from tarsy_contracts.events import StoredResult
from tarsy_contracts.messages.requests import ToolCallRequest

MEGABYTES = 17.0
AT_ONCE = 2
MOST_MEGABYTES = 32 * MEGABYTES
"""At the worst moment, beyond what it needs for nothing."""
GROWTH_MEGABYTES = 5 * MEGABYTES
"""From one wave to the next. What an allocator keeps for later it keeps once."""
QUICK_SECONDS = 5.0
"""Of processor, that the gateway spends while a quick call waits: a busy machine does not lengthen it."""


def big(server: str) -> ToolCallRequest:
    return call("block", server=server, repeatable=True, timeout=250, within=250, megabytes=MEGABYTES)


@pytest.fixture
async def server(calls_file: Path) -> AsyncIterator[HostileServer]:
    server = HostileServer(calls_file)
    await server.start()
    yield server
    server.kill()


async def test_blocks_at_once_arrive_whole_beside_quick_calls_and_memory_does_not_grow_with_their_number(
    owner: Owner, tmp_path: Path, calls_file: Path, server: HostileServer
) -> None:
    servers = {
        "program": over_stdio(calls_file, concurrent=AT_ONCE),
        "web": over_http(server.url, concurrent=AT_ONCE),
        "quick": over_stdio(calls_file, concurrent=AT_ONCE),
    }
    with prepared(owner.bus, tmp_path, servers) as gateways:
        (name,) = await gateways.at_least(1)
        pid = gateways.pid(name)
        async with playing(owner) as owning, watched(pid) as watch:
            await quick(owning)
            before = resident(pid)
            stored, waits = await wave(owning, pid)
            between = resident(pid)
            more, more_waits = await wave(owning, pid)
            after = resident(pid)
    expected = block(MEGABYTES).encode()
    assert len(stored) == len(more) == 2 * AT_ONCE
    for result in stored + more:
        assert await whole(owner, result) == expected
    assert max(waits + more_waits) < QUICK_SECONDS
    assert watch.most - before < MOST_MEGABYTES
    assert after - between < GROWTH_MEGABYTES


async def wave(owning: Playing, pid: int) -> tuple[list[StoredResult], list[float]]:
    """Blocks of both servers at once: where they lie, and what the gateway computed while a quick call waited."""
    calls = await owning.ask([big(name) for name in ("program", "web") for _ in range(AT_ONCE)])
    ending = asyncio.create_task(owning.until_ended(calls, seconds=250))
    waits = []
    while not ending.done():
        began = computed(pid)
        await quick(owning)
        waits.append(computed(pid) - began)
    await ending
    assert {one.outcome for one in calls} == {"ok"}
    return [stored for one in calls if (stored := one.told[0][1].stored) is not None], waits


def computed(pid: int) -> float:
    """Seconds of processor that the process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def quick(owning: Playing) -> None:
    (one,) = await owning.ask([call("echo", server="quick", repeatable=True, text="quick")])
    await owning.until_ended([one], seconds=90)
    assert one.outcome == "ok"


async def whole(owner: Owner, stored: StoredResult) -> bytes:
    found: dict[int, bytes] = {}
    offsets = [piece.offset for piece in stored.pieces]

    def take(record: Record) -> None:
        found[record.offset] = record.value or b""

    begin, end = {stored.partition: offsets[0]}, {stored.partition: offsets[-1] + 1}
    await read_to_end(owner.bus, owner.bus.topics.results, begin, take, until=end)
    return b"".join(found[offset] for offset in offsets)
