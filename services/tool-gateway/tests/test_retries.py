"""Attempts after the first, with real servers over HTTP: who is tried again, when, and what the others notice of it."""

import asyncio
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
from connections import SECRET, becomes, connected, plan_to
from gateway_owner import call, let_go, noted, until_noted
from http_servers import HttpServer, NewServer

from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_testing.real_servers import eventually
from tarsy_tool_gateway.mcp.connection import McpConnection
from tarsy_tool_gateway.mcp.failures import FailureKind
from tarsy_tool_gateway.mcp.health import HealthCheck, SessionEnd
from tarsy_tool_gateway.mcp.server_plan import HttpTransport, ServerPlan
from tarsy_tool_gateway.mcp.tool_server import McpToolServer
from tarsy_tool_gateway.tool_servers import ToolOutput

in_both_eras = pytest.mark.parametrize("era", ["modern", "legacy"])


def plan(server: HttpServer) -> ServerPlan:
    return plan_to(HttpTransport(server.url))


def fault(calls_file: Path, text: str) -> None:
    calls_file.with_name("FAULT").write_text(text, encoding="utf-8")


async def said(
    connection: McpConnection, request: ToolCallRequest, retried: list[FailureKind] | None = None
) -> ToolOutput:
    seen: list[FailureKind] = [] if retried is None else retried
    return await McpToolServer(connection, ready_seconds=90, retried=seen.append, jitter=lambda: 0.05).call(request)


@in_both_eras
@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("repeatable", [True, False])
async def test_who_asks_to_come_later_gets_the_call_later_and_the_session_is_left_alone(
    new_server: NewServer, calls_file: Path, era: str, status: int, repeatable: bool
) -> None:
    """Also what must not run twice: the server has not taken it."""
    server, retried, ends = new_server(era), list[FailureKind](), list[SessionEnd]()
    await server.start()
    async with connected(plan(server), ends=ends) as connection:
        await connection.wait_ready(90)
        fault(calls_file, f"tools/call {status} 2 1")
        clock = asyncio.get_running_loop().time
        began = clock()
        assert await said(connection, call("destroy", repeatable=repeatable, name="db"), retried) == ToolOutput(
            "ok", "db is gone"
        )
        assert clock() - began >= 2
    assert noted(calls_file, "destroy db") == 1
    assert retried == ["throttled", "throttled"]
    assert ends == []


async def test_a_date_is_understood_as_well(new_server: NewServer, calls_file: Path) -> None:
    server = new_server("modern")
    await server.start()
    async with connected(plan(server)) as connection:
        await connection.wait_ready(90)
        at = datetime.now(UTC) + timedelta(seconds=3)
        fault(calls_file, f"tools/call 503 1 {format_datetime(at, usegmt=True)}")
        assert (await said(connection, call("echo", text="late"))).text == "late"
        assert datetime.now(UTC) >= at.replace(microsecond=0)


async def test_a_call_does_not_wait_longer_than_it_may_take(new_server: NewServer, calls_file: Path) -> None:
    server = new_server("modern")
    await server.start()
    async with connected(plan(server)) as connection:
        await connection.wait_ready(90)
        fault(calls_file, "tools/call 429 1 3600")
        # Whoever waited would wait an hour: the test's own limit would end it.
        answer = await said(connection, call("echo", timeout=600, text="a"))
    assert answer.outcome == "unavailable"
    assert "HTTP 429 Too Many Requests, and asks to wait (Retry-After: 3600)" in answer.text


@pytest.mark.parametrize(
    ("status", "repeatable", "outcome", "runs", "reasons"),
    [
        (500, True, "ok", 1, ["server_failed"]),
        (503, True, "ok", 1, ["server_failed"]),
        (503, False, "unknown", 0, []),
        (504, False, "unknown", 0, []),
        (401, True, "unavailable", 0, []),
        (403, True, "unavailable", 0, []),
        (404, False, "ok", 1, ["session_over"]),
    ],
)
@in_both_eras
async def test_one_refusal_by_http_status(
    new_server: NewServer,
    calls_file: Path,
    era: str,
    status: int,
    repeatable: bool,
    outcome: str,
    runs: int,
    reasons: list[FailureKind],
) -> None:
    server, retried = new_server(era), list[FailureKind]()
    await server.start()
    async with connected(plan(server)) as connection:
        await connection.wait_ready(90)
        fault(calls_file, f"tools/call {status} 1 ")
        answer = await said(connection, call("echo", repeatable=repeatable, text="a"), retried)
        assert (await said(connection, call("echo", text="b"))).text == "b"
    assert answer.outcome == outcome
    assert SECRET not in answer.text
    assert noted(calls_file, "echo a") == runs
    assert retried == reasons


@in_both_eras
@pytest.mark.parametrize("status", [401, 404, 429, 500, 503])
async def test_one_broken_call_takes_none_of_the_others_of_its_session_with_it(
    new_server: NewServer, calls_file: Path, era: str, status: int
) -> None:
    server = new_server(era)
    await server.start()
    async with connected(plan(server)) as connection:
        await connection.wait_ready(90)
        others = [
            asyncio.create_task(said(connection, call("destroy", timeout=200, name=f"n{n}", seconds=200)))
            for n in range(4)
        ]
        for number in range(4):
            await until_noted(calls_file, f"destroy n{number}")
        fault(calls_file, f"tools/call {status} 1 ")
        broken = await said(connection, call("echo", text="a"))
        assert not any(other.done() for other in others)
        let_go(calls_file)
        assert await asyncio.gather(*others) == [ToolOutput("ok", f"n{number} is gone") for number in range(4)]
    assert (broken.outcome == "ok") == (status in (404, 429))


@in_both_eras
async def test_a_server_that_knows_the_session_no_longer_gets_a_new_one_while_old_calls_end(
    new_server: NewServer, calls_file: Path, era: str
) -> None:
    server, ends = new_server(era), list[SessionEnd]()
    await server.start()
    async with connected(plan(server), ends=ends) as connection:
        await connection.wait_ready(90)
        old = asyncio.create_task(said(connection, call("destroy", timeout=200, name="old", seconds=200)))
        await until_noted(calls_file, "destroy old")
        fault(calls_file, "tools/call 404 1 ")
        assert (await said(connection, call("destroy", name="new"))).text == "new is gone"
        assert not old.done()
        let_go(calls_file)
        assert (await old).text == "old is gone"
    assert ends == ["expired"]
    assert noted(calls_file, "destroy new") == 1


async def test_a_server_that_refuses_a_check_is_left_but_its_calls_go_on(
    new_server: NewServer, calls_file: Path
) -> None:
    server, ends = new_server("modern"), list[SessionEnd]()
    await server.start()
    async with connected(plan(server), ends=ends) as connection:
        await connection.wait_ready(90)
        running = asyncio.create_task(said(connection, call("destroy", timeout=200, name="db", seconds=200)))
        await until_noted(calls_file, "destroy db")
        fault(calls_file, "tools/list 403")
        await connection.check()
        await becomes(connection, healthy=False)
        assert "HTTP 403 Forbidden" in connection.error
        fault(calls_file, "")
        await becomes(connection, healthy=True)
        assert not running.done()
        let_go(calls_file)
        assert await running == ToolOutput("ok", "db is gone")
    assert ends == ["refused"]


async def test_a_server_that_has_no_time_for_a_check_is_there(new_server: NewServer, calls_file: Path) -> None:
    server, ends = new_server("modern"), list[SessionEnd]()
    await server.start()
    checking = HealthCheck(every_seconds=0.2, within_seconds=60)
    async with connected(plan(server), ends=ends, checking=checking) as connection:
        await connection.wait_ready(90)
        fault(calls_file, "tools/list 429 3 ")
        await eventually(lambda: used_up(calls_file), "three checks were refused")
        assert (await said(connection, call("echo", text="on"))).text == "on"
        assert connection.healthy
    assert ends == []


async def used_up(calls_file: Path) -> bool:
    return not calls_file.with_name("FAULT").read_text("utf-8")
