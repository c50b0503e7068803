"""A server that takes its time for every answer, under more calls than it can take."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from connections import plan_to
from gateway_owner import Owner, call, let_go, noted

from chaos.hostile import program
from chaos.playing import playing
from tarsy_contracts.messages.inputs import CallNotStarted
from tarsy_testing.real_servers import eventually
from tarsy_worker.claim_types import ServerLimits

CONCURRENT, QUEUE, CALLS, QUICK = 3, 3, 12, 10
SECONDS = 200.0
"""So long it would take, if the test did not let it go on."""


async def test_more_than_a_slow_server_can_take_is_busy_and_all_is_done_in_the_end(
    owner: Owner, running: Any, calls_file: Path, new_plan: Any
) -> None:
    slow = replace(plan_to(program(calls_file)), limits=ServerLimits(concurrent=CONCURRENT, queue=QUEUE))
    async with running(slow, new_plan("other")), playing(owner) as owning:
        names = [f"n{number}" for number in range(CALLS)]
        safe = [call("slow", repeatable=True, timeout=SECONDS, name=name, seconds=SECONDS) for name in names[::2]]
        unsafe = [call("destroy", timeout=SECONDS, name=name, seconds=SECONDS) for name in names[1::2]]
        calls = await owning.ask([*safe, *unsafe])

        async def too_much() -> bool:
            return len([one for one in calls if owner.all(CallNotStarted, one.request)]) >= CALLS - CONCURRENT - QUEUE

        await eventually(too_much, "what is too much was given back")
        for _ in range(QUICK):
            (other,) = await owning.ask([call("echo", server="other", repeatable=True, text="quick")])
            await owning.until_ended([other], seconds=90)
            assert other.outcome == "ok"
        assert not [one for one in calls if one.ended]
        let_go(calls_file)
        await owning.until_ended(calls, seconds=90)
    assert {one.outcome for one in calls} == {"ok"}
    assert [noted(calls_file, f"destroy {name}") for name in names[1::2]] == [1] * len(unsafe)
    refused = [told for one in calls for told in owner.all(CallNotStarted, one.request)]
    assert len(refused) >= CALLS - CONCURRENT - QUEUE
    assert {told.reason for told in refused} == {"busy"}
