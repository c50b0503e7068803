"""A server that takes its time for every answer, under more calls than it can take."""

import asyncio
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from connections import plan_to
from gateway_owner import Owner, call, noted

from chaos.hostile import program
from chaos.playing import playing
from tarsy_contracts.inputs import CallNotStarted
from tarsy_tool_gateway.calls import Limits

CONCURRENT, QUEUE, CALLS = 3, 3, 12
SECONDS = 1.0


async def test_more_than_a_slow_server_can_take_is_busy_and_all_is_done_in_the_end(
    owner: Owner, running: Any, calls_file: Path, new_plan: Any
) -> None:
    slow = replace(plan_to(program(calls_file)), limits=Limits(concurrent=CONCURRENT, queue=QUEUE))
    async with running(slow, new_plan("other")), playing(owner) as owning:
        names = [f"n{number}" for number in range(CALLS)]
        safe = [call("slow", repeatable=True, name=name, seconds=SECONDS) for name in names[::2]]
        unsafe = [call("destroy", name=name, seconds=SECONDS) for name in names[1::2]]
        calls = await owning.ask([*safe, *unsafe])
        ending = asyncio.create_task(owning.until_ended(calls, seconds=60))
        waits = []
        while not ending.done():
            began = time.monotonic()
            (other,) = await owning.ask([call("echo", server="other", repeatable=True, text="quick")])
            await owning.until_ended([other], seconds=10)
            waits.append(time.monotonic() - began)
        await ending
    assert {one.outcome for one in calls} == {"ok"}
    assert [noted(calls_file, f"destroy {name}") for name in names[1::2]] == [1] * len(unsafe)
    refused = [told for one in calls for told in owner.all(CallNotStarted, one.request)]
    assert len(refused) >= CALLS - CONCURRENT - QUEUE
    assert {told.reason for told in refused} == {"busy"}
    assert sorted(waits)[len(waits) // 2] < SECONDS
