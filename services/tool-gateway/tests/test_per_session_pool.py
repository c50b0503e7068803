"""Servers with one session for each investigation: real ones, each with its own process or its own header."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
from connections import PATIENT, SECRET, plan_to
from gateway_owner import call, let_go, noted, until_noted
from http_servers import NewServer

from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_processes.ports import free_port
from tarsy_testing.real_servers import eventually
from tarsy_tool_gateway.mcp.connection import McpConnection
from tarsy_tool_gateway.mcp.per_session_pool import PerSessionPool, PoolLimits
from tarsy_tool_gateway.mcp.server_plan import HttpTransport, SseTransport, StdioTransport, TransportPlan
from tarsy_tool_gateway.mcp.tool_server import McpToolServer
from tarsy_tool_gateway.tool_servers import ToolOutput

STOP_SECONDS = 90.0
BOUNDS = PoolLimits(sessions=4, idle_seconds=600, wait_seconds=90)


@pytest.fixture
def program(calls_file: Path, small_program: tuple[str, ...]) -> StdioTransport:
    command, *arguments = small_program
    return StdioTransport(command, tuple(arguments), {"CALLS": str(calls_file), "SESSION": "{{.SESSION_ID}}"})


@asynccontextmanager
async def isolated(transport: TransportPlan, bounds: PoolLimits = BOUNDS) -> AsyncIterator[PerSessionPool]:
    server = PerSessionPool(
        plan_to(transport),
        bounds,
        connect=partial(
            McpConnection, mask=lambda text: text.replace(SECRET, "***"), connect_seconds=60, checking=PATIENT
        ),
        tools=lambda connection: McpToolServer(connection, ready_seconds=60),
    )
    running = asyncio.create_task(server.run())
    await asyncio.sleep(0)
    try:
        yield server
    finally:
        server.stop()
        await asyncio.wait([running], timeout=STOP_SECONDS)
        assert running.done()
        running.result()


def of(session: str, tool: str, *, timeout: float = 200.0, **arguments: object) -> ToolCallRequest:
    request = call(tool, repeatable=True, timeout=timeout, **arguments)  # type: ignore[arg-type]
    return request.model_copy(update={"session_id": session})


async def process(server: PerSessionPool, session: str) -> int:
    said = await server.call(of(session, "process_id"))
    assert said.outcome == "ok", said
    return int(said.text)


async def is_gone(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return True
    return False


async def gone(process_id: int) -> None:
    await eventually(partial(is_gone, process_id), "the program has ended")


async def test_each_investigation_has_a_session_of_its_own_for_all_its_calls(program: StdioTransport) -> None:
    async with isolated(program) as server:
        first, second = await asyncio.gather(process(server, "a"), process(server, "b"))
        assert first != second
        assert [await process(server, "a"), await process(server, "b")] == [first, second]
        assert server.sessions == {"a", "b"}
    await gone(first)
    await gone(second)


async def test_calls_that_begin_together_share_the_session_of_their_investigation(program: StdioTransport) -> None:
    async with isolated(program, PoolLimits(sessions=2, idle_seconds=600, wait_seconds=90)) as server:
        processes = await asyncio.gather(*(process(server, "a") for _ in range(4)))
        assert len(set(processes)) == 1


@pytest.mark.parametrize("kind", [HttpTransport, SseTransport])
async def test_the_server_is_told_the_session_in_a_header(
    new_server: NewServer, kind: type[HttpTransport] | type[SseTransport]
) -> None:
    one = new_server("sse" if kind is SseTransport else "legacy")
    await one.start()
    async with isolated(kind(one.url, {"X-Session": "tarsy {{.SESSION_ID}}", "X-Org": "7"})) as server:
        for session in ("a", "b"):
            headers = json.loads((await server.call(of(session, "heard"))).text)
            assert (headers["x-session"], headers["x-org"]) == (f"tarsy {session}", "7")


async def test_sub_agents_share_the_session_of_their_investigation_and_its_header(new_server: NewServer) -> None:
    """Go TARSy's SessionHeaders_SubAgents and _ParallelAgents: there each execution has one of its own."""
    one = new_server("legacy")
    await one.start()
    async with isolated(HttpTransport(one.url, {"X-Session": "{{.SESSION_ID}}"})) as server:
        calls = [of("a", "heard").model_copy(update={"execution_id": id}) for id in ("lead", "logs", "metrics")]
        heard = await asyncio.gather(*(server.call(one) for one in calls))
        assert {json.loads(said.text)["x-session"] for said in heard} == {"a"}
        assert server.sessions == {"a"}


async def test_a_session_that_died_is_replaced_for_the_next_call_and_no_other_is_touched(
    program: StdioTransport, calls_file: Path
) -> None:
    async with isolated(program) as server:
        first, other = await process(server, "a"), await process(server, "b")
        running = asyncio.create_task(server.call(of("b", "destroy", name="other", seconds=200)))
        await until_noted(calls_file, "destroy other")
        os.kill(first, signal.SIGKILL)
        assert await process(server, "a") not in (first, other)
        assert not running.done()
        let_go(calls_file)
        assert await running == ToolOutput("ok", "other is gone")
        assert await process(server, "b") == other


async def test_a_session_that_nobody_uses_is_closed_and_one_with_a_call_is_not(
    program: StdioTransport, calls_file: Path
) -> None:
    async with isolated(program, PoolLimits(sessions=4, idle_seconds=0.5, wait_seconds=90)) as server:
        forgotten = await process(server, "a")
        busy = asyncio.create_task(server.call(of("b", "slow", seconds=200)))
        await until_noted(calls_file, "slow begins")
        await gone(forgotten)
        assert server.sessions == {"b"}
        let_go(calls_file)
        assert await busy == ToolOutput("ok", "at last")


async def test_the_one_that_rested_longest_makes_room_for_another(program: StdioTransport) -> None:
    async with isolated(program, PoolLimits(sessions=2, idle_seconds=600, wait_seconds=90)) as server:
        oldest, kept = await process(server, "a"), await process(server, "b")
        await process(server, "c")
        assert server.sessions == {"b", "c"}
        await gone(oldest)
        assert await process(server, "b") == kept


async def test_a_call_waits_for_its_turn_while_all_sessions_are_in_use(
    program: StdioTransport, calls_file: Path
) -> None:
    async with isolated(program, PoolLimits(sessions=1, idle_seconds=600, wait_seconds=90)) as server:
        await process(server, "a")
        busy = asyncio.create_task(server.call(of("a", "slow", seconds=200)))
        await until_noted(calls_file, "slow begins")
        waiting = asyncio.create_task(server.call(of("b", "echo", text="my turn")))
        await asyncio.sleep(0)
        assert not waiting.done()
        let_go(calls_file)
        assert (await busy).text == "at last"
        assert await waiting == ToolOutput("ok", "my turn")
        assert server.sessions == {"b"}


async def test_a_call_that_waited_too_long_is_told_so_and_did_not_run(
    program: StdioTransport, calls_file: Path
) -> None:
    async with isolated(program, PoolLimits(sessions=1, idle_seconds=600, wait_seconds=0.3)) as server:
        await asyncio.sleep(0)
        busy = asyncio.create_task(server.call(of("a", "slow", seconds=200)))
        await until_noted(calls_file, "slow begins")
        refused = await server.call(of("b", "echo", text="never"))
        assert refused.outcome == "unavailable"
        assert "has 1 sessions for other investigations, and all are in use" in refused.text
        assert not busy.done()
        let_go(calls_file)
        assert (await busy).outcome == "ok"
    assert noted(calls_file, "echo never") == 0


async def test_waiting_for_a_session_counts_as_the_time_of_the_call(program: StdioTransport, calls_file: Path) -> None:
    async with isolated(program, PoolLimits(sessions=1, idle_seconds=600, wait_seconds=600)) as server:
        busy = asyncio.create_task(server.call(of("a", "slow", seconds=600, timeout=600)))
        await until_noted(calls_file, "slow begins")
        late = await server.call(of("b", "echo", text="never", timeout=0.5))
        assert late.outcome == "unavailable"
        assert not busy.done()
        let_go(calls_file)
        await busy
    assert noted(calls_file, "echo never") == 0


async def test_a_server_that_cannot_be_started_costs_the_call_and_nothing_else() -> None:
    async with isolated(StdioTransport("/nonexistent/server")) as server:

        async def is_told_why() -> bool:
            answer = await server.call(of("a", "echo", text="a", timeout=0.5))
            assert answer.outcome == "unavailable"
            return "No such file or directory" in answer.text

        await eventually(is_told_why, "the program was tried, and the call is told")


async def test_after_the_stop_no_session_is_opened(program: StdioTransport) -> None:
    async with isolated(program) as server:
        server.stop()
        assert (await server.call(of("a", "echo", text="a"))).outcome == "unavailable"


class Farewells:
    """An HTTP server that only notes what it is told, and answers with a status."""

    def __init__(self, status: int) -> None:
        self.heard: list[tuple[str, dict[str, str]]] = []
        self._status = status

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().splitlines()
        headers = dict(line.lower().split(": ", 1) for line in lines if line)
        self.heard.append((first, headers))
        writer.write(f"HTTP/1.1 {self._status} X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".encode())
        await writer.drain()
        writer.close()


@asynccontextmanager
async def farewells(status: int = 204) -> AsyncIterator[tuple[Farewells, int]]:
    notes, port = Farewells(status), free_port()
    async with await asyncio.start_server(notes.serve, "127.0.0.1", port):
        yield notes, port


@pytest.mark.parametrize("status", [204, 404, 500])
async def test_another_host_is_told_of_the_end_of_a_session_without_any_secret(
    new_server: NewServer, status: int
) -> None:
    one = new_server("legacy")
    await one.start()
    async with farewells(status) as (notes, port):
        cleanup = f"http://127.0.0.1:{port}/sessions/{{{{.SESSION_ID}}}}"
        headers = {"Authorization": f"Bearer {SECRET}"}
        async with isolated(HttpTransport(one.url, headers, cleanup_url=cleanup)) as server:
            assert (await server.call(of("a", "echo", text="a"))).outcome == "ok"
            assert notes.heard == []
    assert [first for first, _ in notes.heard] == ["DELETE /sessions/a HTTP/1.1"]
    assert SECRET not in json.dumps(notes.heard)


async def test_the_server_itself_is_told_with_the_headers_of_the_session(new_server: NewServer) -> None:
    async with farewells() as (notes, port):
        # Nobody there speaks MCP: whoever tried has something to clean up.
        url = f"http://127.0.0.1:{port}/mcp"
        headers = {"X-Session": "{{.SESSION_ID}}", "Authorization": "Bearer abc"}
        async with isolated(HttpTransport(url, headers, cleanup_url=f"http://127.0.0.1:{port}/bye")) as server:

            async def is_tried() -> bool:
                await server.call(of("a", "echo", text="a", timeout=0.5))
                return bool(notes.heard)

            await eventually(is_tried, "somebody was there")
    goodbyes = [headers for first, headers in notes.heard if first.startswith("DELETE /bye")]
    assert [(each["x-session"], each["authorization"]) for each in goodbyes] == [("a", "bearer abc")]


async def test_a_farewell_that_nobody_takes_holds_nothing_up(new_server: NewServer) -> None:
    one = new_server("legacy")
    await one.start()
    cleanup = f"http://127.0.0.1:{free_port()}/bye"
    async with asyncio.timeout(200), isolated(HttpTransport(one.url, cleanup_url=cleanup)) as server:
        assert (await server.call(of("a", "echo", text="a"))).outcome == "ok"
