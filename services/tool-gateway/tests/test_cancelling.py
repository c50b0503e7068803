"""A call that is broken off is cancelled at its server, and the session goes on (HTTP and SSE: test_http, test_sse)."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from connections import connected, odd, said
from gateway_owner import call, noted, noted_behind, until_noted

from tarsy_config.sections.transports import Protocol
from tarsy_tool_gateway.mcp.health import SessionEnd
from tarsy_tool_gateway.mcp.server_plan import ServerPlan, StdioTransport
from tarsy_tool_gateway.tool_servers import ToolOutput

type NewPlan = Callable[..., ServerPlan]


@pytest.mark.parametrize("protocol", ["modern", "legacy"])
async def test_the_handler_of_a_server_over_stdio_is_cancelled(
    new_plan: NewPlan, calls_file: Path, protocol: Protocol
) -> None:
    plan, ends = new_plan(), list[SessionEnd]()
    assert isinstance(plan.transport, StdioTransport)
    plan = replace(plan, transport=replace(plan.transport, protocol=protocol))
    async with connected(plan, ends=ends) as connection:
        asking = asyncio.create_task(said(connection, call("slow", timeout=600, seconds=600)))
        await until_noted(calls_file, "slow begins")
        asking.cancel()
        await until_noted(calls_file, "slow is cancelled")
        assert await said(connection, call("echo", text="on")) == ToolOutput("ok", "on")
    assert ends == []


@pytest.mark.timing
async def test_a_call_that_took_too_long_is_cancelled_too(new_plan: NewPlan, calls_file: Path) -> None:
    async with connected(new_plan()) as connection:
        await connection.wait_ready(90)
        assert (await said(connection, call("slow", timeout=4, seconds=600))).outcome == "unknown"
        await until_noted(calls_file, "slow is cancelled")
        assert await said(connection, call("echo", text="on")) == ToolOutput("ok", "on")


async def test_the_cancellation_names_the_call(calls_file: Path) -> None:
    async with connected(odd(calls_file)) as connection:
        asking = asyncio.create_task(said(connection, call("no_answer")))
        id = await noted_behind(calls_file, "no_answer ")
        asking.cancel()

        await until_noted(calls_file, f"notifications/cancelled {id}")
        assert (await said(connection, call("failed"))).outcome == "tool_error"
    assert noted(calls_file, "odd server starts") == 1
