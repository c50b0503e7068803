"""Calls through the whole gateway: real Kafka, a real MCP server; the test plays the owner."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from gateway_owner import Owner, call, let_go, noted, settle, until_noted

from tarsy_bus.liveness import failure_detection as liveness
from tarsy_contracts.messages.inputs import CallClaimed, ToolCallReported
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_tool_gateway.mcp.server_plan import ServerPlan

type Running = Callable[..., AbstractAsyncContextManager[Any]]
type NewPlan = Callable[..., ServerPlan]


async def test_a_repeatable_call_runs_at_once(owner: Owner, running: Running, new_plan: NewPlan) -> None:
    async with running(new_plan()):
        request = call("echo", repeatable=True, text="hello")
        await owner.ask(request)

        result = await owner.result(request)

    assert (result.outcome, result.content, result.cut, result.stored) == ("ok", "hello", False, None)
    assert (result.size, result.lines) == (5, 1)


async def test_a_repeatable_call_that_takes_a_while_is_claimed(
    owner: Owner, running: Running, new_plan: NewPlan, calls_file: Path
) -> None:
    async with running(new_plan()):
        request = call("slow", repeatable=True, seconds=60)
        await owner.ask(request)
        claim = await owner.claim(request)
        let_go(calls_file)
        result = await owner.result(request)

    assert (result.claim_id, result.worker_id) == (claim.claim_id, claim.worker_id)


async def test_a_call_runs_also_where_the_clock_of_the_gateway_is_ahead(
    owner: Owner, running: Running, new_plan: NewPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Limits of requests are the broker's times: by the gateway's clock each would have come too late.

    Nor is one taken before an announcement has brought the broker's time.
    """
    monkeypatch.setattr("tarsy_tool_gateway.app.now", lambda: datetime.now(UTC) + timedelta(hours=1))
    monkeypatch.setattr(liveness, "_announce_once", late(liveness._announce_once))
    request = call("echo", repeatable=True, text="hello")
    await owner.ask(request)
    async with running(new_plan()):
        assert (await owner.result(request)).outcome == "ok"


def late[**P, R](announce: Callable[P, Awaitable[R]]) -> Callable[P, Awaitable[R]]:
    """An announcement that takes long on its way."""

    async def announce_late(*arguments: P.args, **named: P.kwargs) -> R:
        await asyncio.sleep(3.0)
        return await announce(*arguments, **named)

    return announce_late


async def test_a_call_whose_outcome_was_told_is_not_run_again(
    owner: Owner, running: Running, new_plan: NewPlan, calls_file: Path
) -> None:
    async with running(new_plan()):
        request = call("destroy", repeatable=True, name="db")
        await owner.ask(request)
        await owner.result(request)

        await owner.ask(request)
        await settle(owner)

    assert noted(calls_file, "destroy db") == 1


async def test_an_unrepeatable_call_runs_only_on_its_grant_and_once_however_often_it_is_delivered(
    owner: Owner, running: Running, new_plan: NewPlan, calls_file: Path
) -> None:
    async with running(new_plan()):
        request = call("destroy", name="db")
        for _ in range(3):
            await owner.ask(request)
        claims = await owner.several_claims(request, 2)
        claim = claims[0]
        assert all(again == claim for again in claims)
        assert noted(calls_file, "destroy db") == 0

        await owner.grant(claim)
        result = await owner.result(request)
        await owner.grant(claim)
        await settle(owner)

    assert (result.outcome, result.content) == ("ok", "db is gone")
    assert noted(calls_file, "destroy db") == 1
    assert len(owner.all(ToolCallReported, request)) == 1


async def test_a_grant_of_another_claim_is_ignored(
    owner: Owner, running: Running, new_plan: NewPlan, calls_file: Path
) -> None:
    async with running(new_plan()):
        request = call("destroy", name="db")
        await owner.ask(request)
        claim = await owner.claim(request)

        await owner.grant(claim, claim_id="somebody else's")
        await settle(owner)

        assert noted(calls_file, "destroy db") == 0


async def test_a_refused_claim_is_forgotten(
    owner: Owner, running: Running, new_plan: NewPlan, calls_file: Path
) -> None:
    async with running(new_plan()):
        request = call("destroy", name="db")
        await owner.ask(request)
        claim = await owner.claim(request)

        await owner.refuse(claim)
        await owner.grant(claim)
        await settle(owner)

        assert noted(calls_file, "destroy db") == 0
        said = len(owner.all(CallClaimed, request))
        await settle(owner)
        assert len(owner.all(CallClaimed, request)) == said


async def claimed_in_time(owner: Owner) -> ToolCallRequest:
    """With a limit that is as short as this machine allows: whoever reads a request too late claims nothing."""
    for seconds in (3, 15, 60):
        request = call("destroy", within=seconds, name="db")
        await owner.ask(request)
        while datetime.now(UTC) < request.not_after:
            if owner.all(CallClaimed, request):
                return request
            await asyncio.sleep(0.02)
    pytest.fail("no request was claimed in time")


async def test_a_claim_past_its_limit_is_given_up(
    owner: Owner, running: Running, new_plan: NewPlan, calls_file: Path
) -> None:
    async with running(new_plan()):
        request = await claimed_in_time(owner)
        claim = await owner.claim(request)

        given_up = await owner.not_started(request)
        await owner.grant(claim)
        await settle(owner)

    assert (given_up.claim_id, given_up.reason) == (claim.claim_id, "not_started")
    assert noted(calls_file, "destroy db") == 0


async def test_a_cancelled_claim_is_given_up(
    owner: Owner, running: Running, new_plan: NewPlan, calls_file: Path
) -> None:
    async with running(new_plan()):
        request = call("destroy", name="db")
        await owner.ask(request)
        claim = await owner.claim(request)

        await owner.cancel(request)
        given_up = await owner.not_started(request)
        await owner.grant(claim)
        await settle(owner)

    assert given_up.claim_id == claim.claim_id
    assert noted(calls_file, "destroy db") == 0


async def test_a_repeatable_call_is_cancelled_while_it_runs_and_its_server_hears_of_it(
    owner: Owner, running: Running, new_plan: NewPlan, calls_file: Path
) -> None:
    async with running(new_plan()):
        request = call("slow", repeatable=True, seconds=60)
        await owner.ask(request)
        await until_noted(calls_file, "slow begins")

        await owner.cancel(request)

        assert (await owner.result(request)).outcome == "cancelled"
        await until_noted(calls_file, "slow is cancelled")


async def test_an_unrepeatable_call_that_runs_is_not_cut_off_by_a_cancellation(
    owner: Owner, running: Running, new_plan: NewPlan, calls_file: Path
) -> None:
    async with running(new_plan()):
        request = call("destroy", name="db", seconds=60)
        await owner.ask(request)
        await owner.grant(await owner.claim(request))
        await until_noted(calls_file, "destroy db")

        await owner.cancel(request)
        await settle(owner)
        assert owner.all(ToolCallReported, request) == []

        let_go(calls_file)
        result = await owner.result(request)
    assert (result.outcome, result.content) == ("ok", "db is gone")


async def test_a_full_queue_is_busy_while_another_server_still_answers(
    owner: Owner, running: Running, new_plan: NewPlan, calls_file: Path
) -> None:
    async with running(new_plan("first", concurrent=1, queue=1), new_plan("second")):
        slow = [call("slow", repeatable=True, timeout=600, seconds=600) for _ in range(2)]
        await owner.ask(slow[0])
        await until_noted(calls_file, "slow begins")
        await owner.ask(slow[1])
        quick = call("echo", server="second", repeatable=True, text="still here")
        await owner.ask(quick)
        assert (await owner.result(quick)).content == "still here"

        third = call("echo", repeatable=True, text="too much")
        await owner.ask(third, behind=slow[1])
        told = await owner.not_started(third)

        assert told.reason == "busy"
        assert owner.all(CallClaimed, third) == owner.all(CallClaimed, slow[1]) == []
        await owner.cancel(slow[0])
        await owner.claim(slow[1])


async def test_a_stop_gives_back_what_it_can_and_waits_for_what_must_not_be_cut_off(
    owner: Owner, running: Running, new_plan: NewPlan, calls_file: Path
) -> None:
    async with running(new_plan()) as gateway:
        held = call("destroy", name="held")
        begun = call("destroy", name="begun", timeout=600, seconds=600)
        repeatable = call("slow", repeatable=True, timeout=600, seconds=600)
        for request in (held, begun, repeatable):
            await owner.ask(request)
        await owner.claim(held)
        await owner.grant(await owner.claim(begun))
        await until_noted(calls_file, "destroy begun")
        await until_noted(calls_file, "slow begins")

        gateway.cancel()

        assert (await owner.not_started(held)).reason == "not_started"
        assert (await owner.not_started(repeatable)).reason == "not_started"
        assert owner.all(ToolCallReported, begun) == []
        let_go(calls_file)
        assert (await owner.result(begun)).content == "begun is gone"
    assert owner.all(ToolCallReported, repeatable) == []
