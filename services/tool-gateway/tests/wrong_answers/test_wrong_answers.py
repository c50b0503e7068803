"""Every kind of wrong answer over every transport: its call ends at once, with the truth, and no other call does."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import pytest
from connections import SECRET, connected, plan_to, said
from gateway_owner import call, noted, until_noted
from http_servers import HttpProgram
from structlog.testing import capture_logs

from tarsy_processes.ports import free_port
from tarsy_tool_gateway.mcp.connection import McpConnection
from tarsy_tool_gateway.mcp.health import HealthCheck, SessionEnd
from tarsy_tool_gateway.mcp.server_plan import HttpTransport, SseTransport, StdioTransport, TransportPlan
from tarsy_tool_gateway.tool_servers import ToolOutput
from wrong_answers.kinds import KINDS

type Mode = Literal["stdio", "json", "events", "legacy"]

MODES: tuple[Mode, ...] = ("stdio", "json", "events", "legacy")
PROGRAM = Path(__file__).with_name("raw_server.py")
NEVER = HealthCheck(every_seconds=3600)
ENDLESS = 3600.0
"""A call that is not ended by its answer outlives its test."""
LIMIT_SECONDS = 120.0


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> Mode:
    found: Mode = request.param
    return found


@asynccontextmanager
async def serving(
    calls_file: Path, mode: Mode, *, ends: list[SessionEnd] | None = None, **more: str
) -> AsyncIterator[McpConnection]:
    environment = {"CALLS": str(calls_file), "MODE": mode, "PYTHONPATH": str(PROGRAM.parents[1]), **more}
    server = HttpProgram(PROGRAM, free_port(), environment)
    transport: TransportPlan
    match mode:
        case "stdio":
            transport = StdioTransport(sys.executable, (str(PROGRAM),), environment, protocol="legacy")
        case "legacy":
            transport = SseTransport(server.url)
        case _:
            transport = HttpTransport(server.url, protocol="legacy")
    if mode != "stdio":
        await server.start()
    try:
        async with connected(plan_to(transport), checking=NEVER, ends=ends) as connection:
            await connection.wait_ready(90)
            async with asyncio.timeout(LIMIT_SECONDS):
                yield connection
    finally:
        server.kill()


@pytest.mark.parametrize("repeatable", [True, False], ids=["safe", "unsafe"])
async def test_a_wrong_answer_ends_its_own_call_at_once_and_says_what_is_wrong(
    calls_file: Path, mode: Mode, repeatable: bool
) -> None:
    ends: list[SessionEnd] = []
    async with serving(calls_file, mode, ends=ends) as connection:
        answers = {kind: await said(connection, call(kind, repeatable=repeatable, timeout=ENDLESS)) for kind in KINDS}
        assert await said(connection, call("right")) == ToolOutput("ok", "right")
    assert {kind: answer.outcome for kind, answer in answers.items()} == {
        kind: expected.outcome for kind, expected in KINDS.items()
    }
    assert {kind: answer.text for kind, answer in answers.items() if KINDS[kind].says not in answer.text} == {}
    assert {kind: noted(calls_file, kind) for kind in KINDS} == dict.fromkeys(KINDS, 1)
    assert ends == []


@pytest.mark.parametrize("kind", sorted(KINDS))
async def test_a_wrong_answer_costs_no_call_that_runs_beside_it(calls_file: Path, mode: Mode, kind: str) -> None:
    """Whose answer it was may be known only when the other call has been answered."""
    async with serving(calls_file, mode) as connection:
        beside = asyncio.create_task(said(connection, call("held", timeout=ENDLESS)))
        await until_noted(calls_file, "held")
        wrong = asyncio.create_task(said(connection, call(kind, timeout=ENDLESS)))
        await until_noted(calls_file, kind)
        calls_file.with_name("GO").touch()
        assert await beside == ToolOutput("ok", "right")
        assert (await wrong).outcome == KINDS[kind].outcome


async def test_a_model_is_told_that_an_unsafe_tool_may_have_run(calls_file: Path, mode: Mode) -> None:
    async with serving(calls_file, mode) as connection:
        unsafe = await said(connection, call("no_result", timeout=ENDLESS))
        safe = await said(connection, call("no_result", repeatable=True, timeout=ENDLESS))
    assert "Check before repeating it" in unsafe.text
    assert "Check before repeating it" not in safe.text


@pytest.mark.parametrize("levels", ["40", "150", "50000"])
async def test_a_tool_whose_schema_is_too_deep_costs_itself(calls_file: Path, mode: Mode, levels: str) -> None:
    async with serving(calls_file, mode, DEEP=levels) as connection:
        assert set(connection.tools) == {"right", "held", "garbage", "huge", *KINDS}
        assert (connection.refused.count, connection.refused.named) == (1, ("'too_deep'",))


async def test_a_hundred_thousand_lines_of_garbage_are_a_count(calls_file: Path) -> None:
    with capture_logs() as logs:
        async with serving(calls_file, "stdio") as connection:
            assert await said(connection, call("garbage", timeout=ENDLESS)) == ToolOutput("ok", "right")
    told = [each for each in logs if each["event"] == "mcp_server.no_message"]
    assert 1 <= len(told) <= 3
    assert sum(each["count"] for each in told) == 100_000
    assert SECRET not in str(logs)
