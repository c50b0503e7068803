"""MCP over server-sent events, the transport of the first servers: real servers on real sockets, no Kafka."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
from certificates import write_certificates
from connections import SECRET, connected, plan_to, said, until_judged
from gateway_owner import call, let_go, noted, until_noted
from http_servers import HttpServer, NewServer, wire

from tarsy_testing.real_servers import eventually
from tarsy_tool_gateway.mcp.connection import McpConnection
from tarsy_tool_gateway.mcp.health import HealthCheck
from tarsy_tool_gateway.mcp.server_plan import SseTransport
from tarsy_tool_gateway.mcp.tool_server import McpToolServer
from tarsy_tool_gateway.tool_servers import ToolOutput

NEVER = HealthCheck(every_seconds=3600)


@pytest.fixture
def new_server(new_server: NewServer) -> NewServer:
    return partial(new_server, "sse")


@asynccontextmanager
async def serving(server: HttpServer) -> AsyncIterator[McpConnection]:
    await server.start()
    async with connected(plan_to(SseTransport(server.url)), checking=NEVER) as connection:
        await connection.wait_ready(90)
        yield connection


def fault(calls_file: Path, text: str) -> None:
    calls_file.with_name("FAULT").write_text(text, encoding="utf-8")


async def test_tools_are_listed_and_called(new_server: NewServer) -> None:
    async with serving(new_server()) as connection:
        assert {"echo", "destroy"} <= set(connection.tools)
        assert await said(connection, call("echo", text="héllo")) == ToolOutput("ok", "héllo")
        failed = await said(connection, call("fail", message="no such pod"))
        assert (failed.outcome, "no such pod" in failed.text) == ("tool_error", True)
        assert connection.protocol_version < "2026"


async def test_headers_and_token_come_with_the_stream_and_with_every_message(new_server: NewServer) -> None:
    server = new_server(TOKEN="abc")
    await server.start()
    transport = SseTransport(server.url, {"Authorization": "Bearer abc", "X-Org": "7"})
    async with connected(plan_to(transport)) as connection:
        headers = json.loads((await said(connection, call("heard"))).text)
    assert (headers["authorization"], headers["x-org"]) == ("Bearer abc", "7")


async def test_a_server_with_a_certificate_of_our_own_authority_is_trusted_when_it_is_named(
    new_server: NewServer, tmp_path: Path
) -> None:
    authority, *certificate = write_certificates(tmp_path)
    server = new_server(tls=tuple(certificate))
    await server.start()
    async with connected(plan_to(SseTransport(server.url, ca_file=authority))) as connection:
        assert await said(connection, call("echo", text="sealed")) == ToolOutput("ok", "sealed")
    async with connected(plan_to(SseTransport(server.url, verify=False))) as connection:
        assert await said(connection, call("echo", text="unseen")) == ToolOutput("ok", "unseen")
    async with connected(plan_to(SseTransport(server.url))) as connection:
        await until_judged(connection)
        refused = await McpToolServer(connection, ready_seconds=0.1).call(call("echo", text="no"))
        assert connection.misconfigured
    assert (refused.outcome, "certificate verify failed" in refused.text) == ("unavailable", True)


async def test_a_server_that_wants_another_token_is_told_with_its_status(new_server: NewServer) -> None:
    server = new_server(TOKEN="abc")
    await server.start()
    async with connected(plan_to(SseTransport(server.url, {"Authorization": f"Bearer {SECRET}"}))) as connection:
        await until_judged(connection)
        answer = await McpToolServer(connection, ready_seconds=0.1).call(call("echo", text="a"))
        assert connection.misconfigured
    assert (answer.outcome, "401" in answer.text, SECRET in answer.text) == ("unavailable", True, False)


async def test_the_end_of_the_stream_is_noticed_without_a_check_and_the_next_session_serves(
    new_server: NewServer,
) -> None:
    server = new_server()
    async with serving(server) as connection:
        server.kill()

        async def is_missed() -> bool:
            return not connection.healthy

        await eventually(is_missed, "the server is missed")
        await server.start()
        assert await said(connection, call("destroy", name="db")) == ToolOutput("ok", "db is gone")


async def test_a_server_killed_in_an_unrepeatable_call_leaves_it_unknown(
    new_server: NewServer, calls_file: Path
) -> None:
    server = new_server()
    async with serving(server) as connection:
        asking = asyncio.create_task(said(connection, call("destroy", timeout=3600, name="db", seconds=3600)))
        await until_noted(calls_file, "destroy db")
        server.kill()
        assert (await asking).outcome == "unknown"


async def test_a_call_that_is_refused_is_told_at_once_and_costs_no_other_call(
    new_server: NewServer, calls_file: Path
) -> None:
    async with serving(new_server()) as connection:
        other = asyncio.create_task(said(connection, call("destroy", timeout=200, name="other", seconds=200)))
        await until_noted(calls_file, "destroy other")
        fault(calls_file, "tools/call 403")
        answer = await said(connection, call("echo", timeout=3600, text="a"))
        assert (answer.outcome, "HTTP 403 Forbidden" in answer.text) == ("unavailable", True)
        assert SECRET not in answer.text
        assert not other.done()
        let_go(calls_file)
        assert await other == ToolOutput("ok", "other is gone")
    assert noted(calls_file, "echo a") == 0


async def test_a_message_that_hangs_holds_up_no_other(new_server: NewServer, calls_file: Path) -> None:
    async with serving(new_server()) as connection:
        fault(calls_file, "tools/call 0")
        hanging = asyncio.create_task(said(connection, call("echo", timeout=3600, text="a")))
        await until_noted(calls_file, "it hangs")
        calls_file.with_name("FAULT").unlink()
        assert (await said(connection, call("echo", text="meanwhile"))).text == "meanwhile"
        assert not hanging.done()
        hanging.cancel()


async def test_a_connection_that_is_reset_under_the_stream_is_opened_again(
    new_server: NewServer, calls_file: Path
) -> None:
    server = new_server()
    await server.start()
    async with wire(server.port) as (line, url), connected(plan_to(SseTransport(url))) as connection:
        assert (await said(connection, call("echo", text="on"))).text == "on"
        asking = asyncio.create_task(said(connection, call("destroy", timeout=3600, name="db", seconds=3600)))
        await until_noted(calls_file, "destroy db")
        line.reset(b"GET /mcp")
        assert (await asking).outcome == "unknown"
        assert (await said(connection, call("echo", text="again"))).text == "again"


async def test_a_result_of_ten_megabytes_arrives_whole(new_server: NewServer) -> None:
    async with serving(new_server()) as connection:
        answer = await said(connection, call("big", timeout=200, lines=120_000))
    assert answer.outcome == "ok"
    assert len(answer.text.encode()) > 10_000_000


async def test_a_call_that_is_given_up_is_cancelled_at_the_server(new_server: NewServer, calls_file: Path) -> None:
    async with serving(new_server()) as connection:
        asking = asyncio.create_task(said(connection, call("slow", timeout=600, seconds=600)))
        await until_noted(calls_file, "slow begins")
        asking.cancel()
        await until_noted(calls_file, "slow is cancelled")
        assert (await said(connection, call("echo", text="again"))).text == "again"
