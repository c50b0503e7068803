"""A server that is killed with -9 while it works for a call: over every wire."""

import asyncio
import signal
from pathlib import Path
from typing import Any

import pytest
from connections import plan_to
from gateway_owner import Owner, call, catalogued, let_go, noted, until_noted

from chaos.hostile import WIRES, Subject, begun, echoes
from tarsy_contracts.messages.inputs import ToolCallReported
from tarsy_testing.real_servers import eventually

CALLS = 5


async def test_safe_calls_run_again_unsafe_ones_are_unknown_and_the_next_call_works(
    subject: Subject, calls_file: Path
) -> None:
    async with subject.connected() as connection:
        safe = [call("slow", repeatable=True, timeout=200, name=f"safe{n}", seconds=200) for n in range(CALLS)]
        unsafe = [call("destroy", timeout=200, name=f"unsafe{n}", seconds=200) for n in range(CALLS)]
        running = [
            *[await begun(connection, calls_file, one, f"slow {one.arguments['name']} begins") for one in safe],
            *[await begun(connection, calls_file, one, f"destroy {one.arguments['name']}") for one in unsafe],
        ]
        subject.signal(signal.SIGKILL)
        let_go(calls_file)
        await subject.restarted()
        answers = await asyncio.gather(*running)
        assert await echoes(connection, "after it")
    assert [answer.outcome for answer in answers] == ["ok"] * CALLS + ["unknown"] * CALLS
    assert [noted(calls_file, f"slow safe{n} begins") for n in range(CALLS)] == [2] * CALLS
    assert [noted(calls_file, f"destroy unsafe{n}") for n in range(CALLS)] == [1] * CALLS


@pytest.mark.timing
async def test_a_server_that_does_not_come_back_makes_safe_calls_unavailable(
    subject: Subject, calls_file: Path
) -> None:
    async with subject.connected() as connection:
        safe = await begun(
            connection,
            calls_file,
            call("slow", repeatable=True, timeout=6, name="safe", seconds=600),
            "slow safe begins",
        )
        unsafe = await begun(connection, calls_file, call("destroy", timeout=600, name="db", seconds=600), "destroy db")
        subject.stay_dead()
        subject.signal(signal.SIGKILL)
        answers = await asyncio.gather(safe, unsafe)
        assert not connection.healthy
    assert [answer.outcome for answer in answers] == ["unavailable", "unknown"]


@pytest.mark.parametrize("subject", WIRES[:2], ids="-".join, indirect=True)
async def test_behind_a_whole_gateway_the_catalog_follows_and_other_servers_notice_nothing(
    owner: Owner, running: Any, subject: Subject, calls_file: Path, new_plan: Any
) -> None:
    plan = plan_to(subject.transport)
    async with running(plan, new_plan("other")):
        other = call("slow", server="other", repeatable=True, timeout=200, seconds=200)
        unsafe = call("destroy", timeout=200, name="db", seconds=200)
        safe = call("slow", repeatable=True, timeout=200, name="safe", seconds=200)
        for request in (unsafe, other, safe):
            await owner.ask(request)
        claim = await owner.claim(unsafe)
        await owner.grant(claim)
        for line in ("destroy db", "slow begins", "slow safe begins"):
            await until_noted(calls_file, line)
        subject.signal(signal.SIGKILL)
        assert (await owner.result(unsafe)).outcome == "unknown"
        quick = call("echo", server="other", repeatable=True, text="meanwhile")
        await owner.ask(quick)
        assert (await owner.result(quick)).content == "meanwhile"
        assert not owner.all(ToolCallReported, other)
        let_go(calls_file)
        await subject.restarted()
        assert (await owner.result(safe)).outcome == "ok"
        assert (await owner.result(other)).content == "at last"

        async def healthy() -> bool:
            entry = (await catalogued(owner, claim.worker_id)).get("first")
            return entry is not None and entry.healthy

        await eventually(healthy, "the catalog shows it again")
    assert noted(calls_file, "destroy db") == 1
    assert [len(owner.all(ToolCallReported, each)) for each in (unsafe, safe, other)] == [1, 1, 1]
