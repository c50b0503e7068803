"""Memory of a gateway, in a process of its own: what hostile servers took comes back when they are dropped."""

import asyncio
import os
import sys
from pathlib import Path

from chaos.memory import resident
from http_servers import HttpProgram

from memory_back.gateway_child import FLOODS, PROGRAM
from tarsy_processes.allocator import RETURNED_MEMORY
from tarsy_processes.ports import free_port

CHILD = Path(__file__).with_name("gateway_child.py")
MOST_GROWTH = 1.5
WITHIN_SECONDS = 60.0
LOOK_SECONDS = 0.5
STEP_SECONDS = 400.0
OVER_HTTP = [flood for flood in FLOODS if flood in ("tools", "schema")]


def test_the_image_sets_the_allocator_as_this_test_does() -> None:
    image = (Path(__file__).parents[4] / "deploy" / "Dockerfile").read_text("utf-8")
    assert [name for name, value in RETURNED_MEMORY.items() if f"{name}={value} " not in image] == []


async def step_of(child: asyncio.subprocess.Process) -> None:
    assert child.stdout is not None
    async with asyncio.timeout(STEP_SECONDS):
        while (line := await child.stdout.readline()) != b"done\n":
            assert line, "the child has ended"


async def smallest(pid: int, enough: float) -> float:
    """Megabytes, once they are few enough, or the fewest of a minute."""
    least = resident(pid)
    clock = asyncio.get_running_loop().time
    until = clock() + WITHIN_SECONDS
    while least > enough and clock() < until:
        await asyncio.sleep(LOOK_SECONDS)
        least = min(least, resident(pid))
    return least


async def test_what_hostile_servers_took_comes_back_within_a_minute(tmp_path: Path) -> None:
    servers = [
        HttpProgram(
            PROGRAM,
            free_port(),
            {
                "CALLS": str(tmp_path / f"calls-http-{flood}"),
                "MODE": mode,
                "PYTHONPATH": str(PROGRAM.parents[1]),
                "FLOOD": flood,
            },
        )
        for flood in OVER_HTTP
        for mode in ("json", "events")
    ]
    await asyncio.gather(*(server.start() for server in servers))
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        str(CHILD),
        str(tmp_path),
        *(server.url for server in servers),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, **RETURNED_MEMORY, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        assert child.stdin is not None
        await step_of(child)
        before = resident(child.pid)
        child.stdin.write(b"\n")
        await step_of(child)
        after = await smallest(child.pid, MOST_GROWTH * before)
        child.stdin.write(b"\n")
        async with asyncio.timeout(STEP_SECONDS):
            assert await child.wait() == 0
    finally:
        for server in servers:
            server.kill()
        if child.returncode is None:
            child.kill()
    assert after < MOST_GROWTH * before, f"{after:.0f} MB, of {before:.0f} at the start"
