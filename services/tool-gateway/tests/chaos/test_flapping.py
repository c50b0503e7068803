"""A server that dies after a second, some times, and then holds."""

import asyncio
from itertools import count, pairwise
from pathlib import Path

import pytest
from connections import connected, plan_to
from gateway_owner import call, noted

from chaos.hostile import echoes, program, said, starts
from tarsy_bus.retries import SPREAD
from tarsy_testing.real_servers import eventually
from tarsy_tool_gateway.mcp.pauses import FIRST_PAUSE_SECONDS

DEATHS = 4
LIFE_SECONDS = 1.0
CALLERS = 4
ENDS = {False: {"ok", "unavailable", "unknown"}, True: {"ok", "unavailable"}}


@pytest.mark.timing
async def test_it_is_started_again_after_growing_pauses_and_calls_run_at_most_as_often_as_they_may(
    calls_file: Path,
) -> None:
    flapping = program(calls_file, DIES_AFTER=str(LIFE_SECONDS), DIES_TIMES=str(DEATHS))
    over = asyncio.Event()
    outcomes: dict[bool, set[str]] = {True: set(), False: set()}
    unsafe: list[str] = []
    numbers = count()
    async with connected(plan_to(flapping)) as connection:

        async def calling(caller: int) -> None:
            while not over.is_set():
                repeatable = caller % 2 == 0
                name = f"n{next(numbers)}"
                if not repeatable:
                    unsafe.append(name)
                request = call("destroy", repeatable=repeatable, name=name, seconds=0.2)
                outcomes[repeatable].add((await said(connection, request)).outcome)

        async def steady() -> bool:
            return len(starts(calls_file)) > DEATHS and connection.healthy

        async with asyncio.TaskGroup() as tasks:
            for caller in range(CALLERS):
                tasks.create_task(calling(caller))
            await eventually(steady, "the server holds")
            over.set()
        assert await echoes(connection, "steady")
    began = starts(calls_file)
    assert len(began) == DEATHS + 1
    gaps = [later - earlier for earlier, later in pairwise(began)]
    for number, gap in enumerate(gaps):
        assert gap >= LIFE_SECONDS + (1 - SPREAD) * FIRST_PAUSE_SECONDS * 2**number
    assert outcomes[True] <= ENDS[True]
    assert outcomes[False] <= ENDS[False]
    assert "ok" in outcomes[True] & outcomes[False]
    assert not [name for name in unsafe if noted(calls_file, f"destroy {name}") > 1]
