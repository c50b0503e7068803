"""A server that freezes (SIGSTOP) in the middle of its work, and goes on later."""

import os
import signal
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from connections import becomes, plan_to
from gateway_owner import Owner, call, let_go, noted

from chaos.hostile import WIRES, Subject, begun, echoes, said
from tarsy_contracts.messages.inputs import ToolCallReported
from tarsy_testing.real_servers import eventually
from tarsy_tool_gateway.mcp.health import SessionEnd
from tarsy_worker.claim_types import ServerLimits


def thaw(process: int) -> None:
    """Unless somebody has got rid of it meanwhile."""
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGCONT)


@pytest.mark.timing
async def test_a_call_in_a_frozen_server_ends_when_it_goes_on_and_has_run_once(
    subject: Subject, calls_file: Path
) -> None:
    ends: list[SessionEnd] = []
    async with subject.connected(ends=ends) as connection:
        unsafe = await begun(connection, calls_file, call("destroy", timeout=200, name="db", seconds=200), "destroy db")
        before, frozen = len(ends), subject.pid
        subject.signal(signal.SIGSTOP)

        async def is_missed() -> bool:
            return len(ends) > before

        try:
            # Another process takes the place of a program so soon that nobody may see the connection without one.
            await eventually(is_missed, "the server is missed")
            assert ends[before] == "silent"
            if subject.is_program:
                await becomes(connection, healthy=True)
                assert await echoes(connection, "another process")
            else:
                assert (connection.healthy, connection.error) == (False, "it did not answer in time")
            assert not unsafe.done()
        finally:
            let_go(calls_file)
            thaw(frozen)
        assert (await unsafe).text == "db is gone"
        assert await echoes(connection, "again")
    assert noted(calls_file, "destroy db") == 1


@pytest.mark.timing
async def test_an_unsafe_call_into_a_frozen_server_is_unknown_and_never_sent_again(
    subject: Subject, calls_file: Path
) -> None:
    async with subject.connected() as connection:
        frozen = subject.pid
        subject.signal(signal.SIGSTOP)
        try:
            answer = await said(connection, call("destroy", timeout=4, name="db"))
        finally:
            thaw(frozen)
        assert await echoes(connection, "again")
    assert answer.outcome == "unknown"
    assert noted(calls_file, "destroy db") <= 1


@pytest.mark.timing
@pytest.mark.parametrize("subject", WIRES[:2], ids="-".join, indirect=True)
async def test_behind_a_whole_gateway_calls_of_other_servers_are_not_touched(
    owner: Owner, running: Any, subject: Subject, calls_file: Path, new_plan: Any
) -> None:
    frozen_plan = replace(plan_to(subject.transport), limits=ServerLimits(concurrent=4, queue=4))
    async with running(frozen_plan, new_plan("other")):
        # Both are up: a start may take longer than the gateway waits for a frozen server.
        for server in ("first", "other"):
            first = call("echo", server=server, repeatable=True, text="it is there")
            await owner.ask(first)
            await owner.result(first)
        unsafe = call("destroy", timeout=200, name="db", seconds=0.1)
        await owner.ask(unsafe)
        claim = await owner.claim(unsafe)
        frozen = subject.pid
        subject.signal(signal.SIGSTOP)
        try:
            await owner.grant(claim)
            stuck = [call("slow", repeatable=True, timeout=200, name=f"s{n}", seconds=0.1) for n in range(7)]
            for request in stuck:
                await owner.ask(request)
            others = [call("echo", server="other", repeatable=True, text=f"{n}") for n in range(20)]
            for request in others:
                await owner.ask(request)
            assert [(await owner.result(each)).content for each in others] == [f"{n}" for n in range(20)]
            assert not [each for each in (unsafe, *stuck) if owner.all(ToolCallReported, each)]
        finally:
            thaw(frozen)
        assert [(await owner.result(each)).outcome for each in (unsafe, *stuck)] == ["ok"] * 8
    assert noted(calls_file, "destroy db") == 1
