"""Much at once: one server that hangs, and results of many megabytes, beside calls that are quick."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from connections import odd
from gateway_owner import Owner, call

from tarsy_contracts.messages.inputs import CallNotStarted, ToolCallReported
from tarsy_testing.loop_held import watching_the_loop
from tarsy_testing.real_servers import eventually
from tarsy_tool_gateway.mcp.server_plan import ServerPlan
from tarsy_worker.claim_types import ServerLimits

type Running = Callable[..., AbstractAsyncContextManager[Any]]
type NewPlan = Callable[..., ServerPlan]

LONGEST_HELD_SECONDS = 1.5


async def test_a_server_that_hangs_takes_no_place_from_another(
    owner: Owner, running: Running, new_plan: NewPlan, calls_file: Path
) -> None:
    hung = replace(odd(calls_file), name="hung", limits=ServerLimits(concurrent=2, queue=5))
    async with running(hung, new_plan("quick", concurrent=2, queue=50)):
        hopeless = [call("no_answer", server="hung", repeatable=True, timeout=600) for _ in range(60)]
        for request in hopeless[:30]:
            await owner.ask(request)
        quick = [call("echo", server="quick", repeatable=True, text=str(number)) for number in range(30)]
        for request, more in zip(quick, hopeless[30:], strict=True):
            await owner.ask(request)
            await owner.ask(more)
        answers = [(await owner.result(request)).content for request in quick]
        assert answers == [str(number) for number in range(30)]

        async def the_rest_is_refused() -> bool:
            return sum(bool(owner.all(CallNotStarted, request)) for request in hopeless) >= 60 - 7

        await eventually(the_rest_is_refused, "all but two that run and five that wait are given back")
        refused = [told for request in hopeless for told in owner.all(CallNotStarted, request)]
        assert (len(refused), {told.reason for told in refused}) == (60 - 7, {"busy"})
        assert not [request for request in hopeless if owner.all(ToolCallReported, request)]


@pytest.mark.timing
async def test_results_of_seventeen_megabytes_do_not_hold_up_quick_calls(
    owner: Owner, running: Running, new_plan: NewPlan, calls_file: Path
) -> None:
    async with running(replace(odd(calls_file), name="huge"), new_plan("quick")), watching_the_loop() as held:
        large = [call("log", server="huge", repeatable=True, timeout=250) for _ in range(4)]
        for request in large:
            await owner.ask(request)
        while not all(owner.all(ToolCallReported, request) for request in large):
            quick = call("echo", server="quick", repeatable=True, text="here")
            await owner.ask(quick)
            assert (await owner.result(quick)).content == "here"
            await asyncio.sleep(0.05)
        results = [await owner.result(request) for request in large]
    assert {(result.outcome, result.cut) for result in results} == {("ok", True)}
    assert all(result.size > 17_000_000 for result in results)
    assert held.longest < LONGEST_HELD_SECONDS
