"""Whether a server is there: what a check finds, and what it leaves alone."""

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path

from connections import becomes, connected, odd, plan_to, said
from gateway_owner import call, noted, until_noted

from tarsy_testing.real_servers import eventually
from tarsy_tool_gateway.mcp.health import HealthCheck, SessionEnd
from tarsy_tool_gateway.mcp.server_plan import ServerPlan, StdioTransport
from tarsy_tool_gateway.mcp.tool_server import McpToolServer
from tarsy_tool_gateway.tool_servers import ToolOutput

type NewPlan = Callable[..., ServerPlan]

OFTEN = HealthCheck(every_seconds=0.2, within_seconds=3.0)
"""A server that lives answers within that, whatever else the machine does."""


# A server that lives, but gets no turn on a busy machine, ends as silent too: how often is not asked here.


async def until_started(calls_file: Path, times: int) -> None:
    async def look() -> bool:
        return noted(calls_file, "odd server starts") >= times

    await eventually(look, f"the server has started {times} times")


async def test_a_server_that_answers_no_check_is_started_anew(calls_file: Path) -> None:
    ends: list[SessionEnd] = []
    async with connected(odd(calls_file), checking=OFTEN, ends=ends) as connection:
        await said(connection, call("deaf_to_lists"))
        await until_started(calls_file, 2)
        assert await said(connection, call("failed")) == ToolOutput("tool_error", "no such pod")
        assert connection.error == ""
    assert set(ends) == {"silent"}


async def test_a_call_that_runs_outlives_the_silence_of_its_server(calls_file: Path) -> None:
    async with connected(odd(calls_file), checking=OFTEN) as connection:
        running = asyncio.create_task(said(connection, call("later")))
        await until_noted(calls_file, "later")
        await said(connection, call("deaf_to_lists"))
        await until_started(calls_file, 2)
        assert (await said(connection, call("failed"))).outcome == "tool_error"
        assert not running.done()
        calls_file.with_name("GO").touch()
        assert await running == ToolOutput("ok", "late, but here")


async def test_a_server_that_answers_calls_is_alive_whatever_it_says_to_checks(calls_file: Path) -> None:
    ends: list[SessionEnd] = []
    async with connected(odd(calls_file), checking=OFTEN, ends=ends) as connection:
        await said(connection, call("deaf_to_lists"))
        clock = asyncio.get_running_loop().time
        two_checks_later = clock() + 2 * (OFTEN.every_seconds + OFTEN.within_seconds)
        longest, answered = 0.0, clock()
        while clock() < two_checks_later:
            assert (await said(connection, call("failed"))).outcome == "tool_error"
            longest, answered = max(longest, clock() - answered), clock()
            await asyncio.sleep(0.05)
        # On a machine that stood still for so long nobody answered anything.
        if longest < OFTEN.within_seconds / 2:
            assert ends == []
            assert connection.healthy
        await until_started(calls_file, 2)
    assert set(ends) == {"silent"}


async def test_a_frozen_server_is_noticed_and_costs_nobody_else_anything(calls_file: Path, new_plan: NewPlan) -> None:
    ends: list[SessionEnd] = []
    async with connected(new_plan(), checking=OFTEN, ends=ends) as connection:
        process = int((await said(connection, call("process_id"))).text)
        connection.changed.clear()
        os.kill(process, signal.SIGSTOP)
        await becomes(connection, healthy=False)
        assert connection.changed.is_set()
        assert connection.error == "it did not answer in time"
        assert (await said(connection, call("echo", text="again"))).text == "again"
    assert set(ends) == {"silent"}


async def test_a_call_waits_for_a_server_that_starts_slowly_and_not_so_for_one_that_was_tried(
    new_plan: NewPlan,
) -> None:
    async with connected(new_plan()) as connection:
        answer = await McpToolServer(connection, ready_seconds=0.001).call(call("echo", text="at last"))
    assert answer.text == "at last"
    async with connected(plan_to(StdioTransport("/nonexistent/server")), connect_seconds=60) as connection:
        answer = await McpToolServer(connection, ready_seconds=0.001).call(call("echo", text="anybody?", timeout=600))
    assert answer.outcome == "unavailable"


async def test_what_a_connection_says_of_itself(calls_file: Path, new_plan: NewPlan) -> None:
    async with connected(odd(calls_file)) as connection:
        assert not connection.diagnosed
        assert connection.checked_at is None
        await connection.wait_ready(90)
        assert (connection.diagnosed, connection.misconfigured, connection.error) == (True, False, "")
        assert connection.checked_at is not None
        assert (connection.protocol_version, connection.server_version) == ("2025-11-25", "0.9")
    async with connected(new_plan()) as connection:
        await connection.wait_ready(90)
        assert connection.protocol_version >= "2026"
