"""A server that dies every second, for ten seconds, and then holds."""

import asyncio
from itertools import count, pairwise
from pathlib import Path

from connections import connected, plan_to
from gateway_owner import call, noted

from chaos.hostile import echoes, program, said, starts
from tarsy_testing import eventually

FLAPS_SECONDS = 10.0
MOST_STARTS = 8
CALLERS = 4
ENDS = {False: {"ok", "unavailable", "unknown"}, True: {"ok", "unavailable"}}


async def test_it_is_started_again_after_growing_pauses_and_calls_run_at_most_as_often_as_they_may(
    calls_file: Path,
) -> None:
    flapping = program(calls_file, DIES_AFTER="1", DIES_FOR=str(FLAPS_SECONDS))
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
                request = call("destroy", repeatable=repeatable, timeout=8, name=name, seconds=0.2)
                outcomes[repeatable].add((await said(connection, request)).outcome)

        async def steady() -> bool:
            began = starts(calls_file)
            return bool(began) and began[-1] - began[0] > FLAPS_SECONDS and connection.healthy

        async with asyncio.TaskGroup() as tasks:
            for caller in range(CALLERS):
                tasks.create_task(calling(caller))
            await eventually(steady, "the server holds")
            over.set()
        assert await echoes(connection, "steady")
    began = starts(calls_file)
    assert 3 <= len(began) <= MOST_STARTS
    gaps = [later - earlier for earlier, later in pairwise(began)]
    assert gaps[-1] > gaps[0] + 1
    assert outcomes[True] <= ENDS[True]
    assert outcomes[False] <= ENDS[False]
    assert "ok" in outcomes[True] & outcomes[False]
    assert not [name for name in unsafe if noted(calls_file, f"destroy {name}") > 1]
