"""MCP over streamable HTTP: real servers on real sockets, one connection of the gateway, no Kafka."""

import asyncio
import gc
import json
import logging
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import connections
import pytest
from certificates import write_certificates
from connections import SECRET, becomes, plan_to, said, until_judged
from gateway_owner import call, let_go, noted, until_noted
from http_servers import HttpServer, NewServer, wire
from structlog.testing import capture_logs

from tarsy_tool_gateway.mcp.connection import McpConnection
from tarsy_tool_gateway.mcp.sdk_logs import mute_values_in_sdk_logs
from tarsy_tool_gateway.mcp.server_plan import HttpTransport, ServerPlan
from tarsy_tool_gateway.mcp.tool_server import McpToolServer
from tarsy_tool_gateway.tool_servers import ToolOutput
from tarsy_worker.claim_types import ServerLimits

ERAS = ("modern", "modern-json", "legacy", "legacy-json")
in_both_eras = pytest.mark.parametrize("era", ["modern", "legacy"])
in_every_era = pytest.mark.parametrize("era", ERAS)


def connected(transport: HttpTransport) -> AbstractAsyncContextManager[McpConnection]:
    return connections.connected(plan_to(transport, concurrent=4), connect_seconds=60)


@asynccontextmanager
async def serving(server: HttpServer) -> AsyncIterator[McpConnection]:
    await server.start()
    async with connected(HttpTransport(server.url)) as connection:
        await connection.wait_ready(90)
        yield connection


def fault(calls_file: Path, text: str | None) -> None:
    file = calls_file.with_name("FAULT")
    if text is None:
        file.unlink()
    else:
        file.write_text(text, encoding="utf-8")


@in_every_era
async def test_tools_are_listed_and_called_in_every_era(new_server: NewServer, era: str) -> None:
    async with serving(new_server(era)) as connection:
        assert {"echo", "destroy"} <= set(connection.tools)
        assert await said(connection, call("echo", text="héllo")) == ToolOutput("ok", "héllo")
        failed = await said(connection, call("fail", message="no such pod"))
        assert (failed.outcome, "no such pod" in failed.text) == ("tool_error", True)
        headers = json.loads((await said(connection, call("heard"))).text)
    assert (headers["mcp-protocol-version"] >= "2026") is era.startswith("modern")
    assert ("mcp-session-id" in headers) is (era == "legacy")


async def test_headers_and_token_arrive_and_no_proxy_gets_those_for_this_machine(
    new_server: NewServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    server = new_server(TOKEN="abc")
    await server.start()
    transport = HttpTransport(server.url, {"Authorization": "Bearer abc", "X-Org": "7"})
    async with connected(transport) as connection:
        headers = json.loads((await said(connection, call("heard"))).text)
    assert (headers["authorization"], headers["x-org"]) == ("Bearer abc", "7")


async def test_a_server_that_wants_another_token_is_told_with_its_status_and_no_more(new_server: NewServer) -> None:
    server = new_server(TOKEN="abc")
    await server.start()
    with capture_logs() as logs:
        async with connected(HttpTransport(server.url, {"Authorization": f"Bearer {SECRET}"})) as connection:
            await until_judged(connection)
            answer = await McpToolServer(connection, ready_seconds=0.1).call(call("echo", text="a"))
    assert answer.outcome == "unavailable"
    assert "it answered HTTP 401 Unauthorized" in answer.text
    assert "HTTP 401 Unauthorized" in json.dumps(logs)
    assert SECRET not in answer.text + json.dumps(logs)


async def test_what_is_secret_in_address_or_session_is_not_in_the_log_of_any_library(
    new_server: NewServer, caplog: pytest.LogCaptureFixture
) -> None:
    mute_values_in_sdk_logs()
    server = new_server("legacy")
    await server.start()
    with caplog.at_level(logging.DEBUG):
        async with connected(HttpTransport(f"{server.url}?key={SECRET}", {"X-Key": SECRET})) as connection:
            headers = json.loads((await said(connection, call("heard"))).text)
    assert headers["x-key"] == SECRET
    assert SECRET not in caplog.text
    assert headers["mcp-session-id"] not in caplog.text


async def test_a_server_with_a_certificate_of_our_own_authority_is_trusted_when_it_is_named(
    new_server: NewServer, tmp_path: Path
) -> None:
    authority, *certificate = write_certificates(tmp_path)
    server = new_server(tls=tuple(certificate))
    await server.start()
    async with connected(HttpTransport(server.url, ca_file=authority)) as connection:
        assert await said(connection, call("echo", text="sealed")) == ToolOutput("ok", "sealed")
    async with connected(HttpTransport(server.url, verify=False)) as connection:
        assert await said(connection, call("echo", text="unseen")) == ToolOutput("ok", "unseen")
    async with connected(HttpTransport(server.url)) as connection:
        await until_judged(connection)
        refused = await McpToolServer(connection, ready_seconds=0.1).call(call("echo", text="no"))
    assert refused.outcome == "unavailable"
    assert "certificate verify failed" in refused.text


async def test_a_missing_file_of_authorities_is_told(tmp_path: Path) -> None:
    async with connected(HttpTransport("https://127.0.0.1:9/mcp", ca_file=tmp_path / "none.pem")) as connection:
        await until_judged(connection)
        answer = await McpToolServer(connection, ready_seconds=0.1).call(call("echo", text="a"))
    assert (answer.outcome, "No such file" in answer.text) == ("unavailable", True)


async def test_a_header_that_cannot_be_sent_is_told_and_leaves_no_connections_behind() -> None:
    """pytest fails for a session of aiohttp that nobody closed."""
    async with connected(HttpTransport("http://127.0.0.1:1/mcp", {"X-Org": "caf\u00e9"})) as connection:
        await until_judged(connection)
        assert (connection.misconfigured, "UnicodeEncodeError" in connection.error) == (True, True)
    gc.collect()


async def test_a_server_that_is_down_at_the_start_is_told_and_found_when_it_comes_up(new_server: NewServer) -> None:
    server = new_server()
    async with connected(HttpTransport(server.url)) as connection:
        await until_judged(connection)
        hopeless = await McpToolServer(connection, ready_seconds=0.1).call(call("echo", text="a"))
        assert hopeless.outcome == "unavailable"
        assert "ConnectError" in hopeless.text
        await server.start()
        assert await said(connection, call("echo", text="there")) == ToolOutput("ok", "there")


@in_every_era
async def test_an_unrepeatable_call_after_a_restart_of_the_server_runs_once(
    new_server: NewServer, calls_file: Path, era: str
) -> None:
    server = new_server(era)
    async with serving(server) as connection:
        assert (await said(connection, call("destroy", name="before"))).outcome == "ok"
        server.kill()
        await server.start()
        assert await said(connection, call("destroy", name="after")) == ToolOutput("ok", "after is gone")
    assert noted(calls_file, "destroy after") == 1


@in_both_eras
async def test_a_call_to_a_server_that_is_gone_waits_for_it_to_come_back(new_server: NewServer, era: str) -> None:
    server = new_server(era)
    async with serving(server) as connection:
        server.kill()
        asking = asyncio.create_task(said(connection, call("destroy", name="db")))
        await becomes(connection, healthy=False)
        await server.start()
        assert await asking == ToolOutput("ok", "db is gone")


@in_every_era
async def test_a_server_killed_in_a_repeatable_call_is_asked_again_when_it_is_back(
    new_server: NewServer, calls_file: Path, era: str
) -> None:
    server = new_server(era)
    async with serving(server) as connection:
        asking = asyncio.create_task(said(connection, call("die_once", repeatable=True, marker="died")))
        await server.ended()
        await server.start()
        assert await asking == ToolOutput("ok", "alive again")
    assert noted(calls_file, "die_once") == 2


@in_every_era
async def test_a_server_killed_in_an_unrepeatable_call_leaves_it_unknown(
    new_server: NewServer, calls_file: Path, era: str
) -> None:
    server = new_server(era)
    async with serving(server) as connection:
        answer = await said(connection, call("die"))
        assert answer.outcome == "unknown"
        await server.start()
        assert (await said(connection, call("echo", text="again"))).text == "again"
    assert noted(calls_file, "die") == 1


@pytest.mark.timing
@in_both_eras
@pytest.mark.parametrize(("repeatable", "outcome"), [(True, "unavailable"), (False, "unknown")])
async def test_a_hung_server_costs_a_call_its_time_and_no_more(
    new_server: NewServer, era: str, repeatable: bool, outcome: str
) -> None:
    server = new_server(era)
    async with serving(server) as connection:
        server.pause()
        # It has to be sent within that.
        request = call("echo", repeatable=repeatable, timeout=3, text="anybody?")
        answer = await said(connection, request)
        assert (answer.outcome, "in time" in answer.text) == (outcome, True)
        server.resume()
        assert (await said(connection, call("echo", text="again"))).text == "again"


@pytest.mark.timing
async def test_a_server_that_does_not_answer_a_cancellation_holds_up_no_other_call(
    new_server: NewServer, calls_file: Path
) -> None:
    async with serving(new_server("legacy")) as connection:
        before = json.loads((await said(connection, call("heard"))).text)
        fault(calls_file, "notifications/cancelled 0")
        assert (await said(connection, call("slow", timeout=3, seconds=600))).outcome == "unknown"
        after = json.loads((await said(connection, call("heard"))).text)
    assert before["mcp-session-id"] == after["mcp-session-id"]


@in_both_eras
async def test_a_stop_does_not_wait_for_a_hung_server(new_server: NewServer, era: str) -> None:
    server = new_server(era)
    async with serving(server) as connection:
        server.pause()
        assert connection.healthy


@in_both_eras
async def test_a_call_that_is_broken_off_is_cancelled_at_the_server(
    new_server: NewServer, calls_file: Path, era: str
) -> None:
    async with serving(new_server(era)) as connection:
        asking = asyncio.create_task(said(connection, call("slow", timeout=200, seconds=600)))
        await until_noted(calls_file, "slow begins")
        asking.cancel()
        await until_noted(calls_file, "slow is cancelled")
        assert (await said(connection, call("echo", text="again"))).text == "again"


@in_both_eras
async def test_a_connection_that_is_reset_costs_its_own_call_only(
    new_server: NewServer, calls_file: Path, era: str
) -> None:
    server = new_server(era)
    await server.start()
    async with wire(server.port) as (line, url), connected(HttpTransport(url)) as connection:
        victim = asyncio.create_task(said(connection, call("destroy", timeout=200, name="victim", seconds=200)))
        other = asyncio.create_task(said(connection, call("destroy", timeout=200, name="other", seconds=200)))
        await until_noted(calls_file, "destroy victim")
        await until_noted(calls_file, "destroy other")
        line.reset(b"victim")
        assert (await victim).outcome == "unknown"
        assert not other.done()
        let_go(calls_file)
        assert await other == ToolOutput("ok", "other is gone")
        assert (await said(connection, call("echo", text="on"))).text == "on"


@pytest.mark.parametrize(
    ("status", "repeatable", "outcome", "says"),
    [
        (401, False, "unavailable", "cannot be reached: it answered HTTP 401 Unauthorized"),
        (429, True, "unavailable", "cannot be reached: it answered HTTP 429 Too Many Requests"),
        (502, True, "unavailable", "gave no result: it answered HTTP 502 Bad Gateway"),
        (502, False, "unknown", "it answered HTTP 502 Bad Gateway"),
        (599, False, "unknown", "it answered HTTP 599"),
    ],
)
async def test_the_status_of_a_refused_call_is_told_and_the_session_goes_on(
    new_server: NewServer, calls_file: Path, status: int, repeatable: bool, outcome: str, says: str
) -> None:
    async with serving(new_server()) as connection:
        fault(calls_file, f"tools/call {status}")
        answer = await said(connection, call("echo", repeatable=repeatable, text="a"))
        assert (answer.outcome, says in answer.text) == (outcome, True)
        assert SECRET not in answer.text
        fault(calls_file, None)
        assert (await said(connection, call("echo", text="again"))).text == "again"
    assert noted(calls_file, "echo a") == 0


async def test_a_check_notices_a_server_that_answers_no_more(new_server: NewServer, calls_file: Path) -> None:
    async with serving(new_server()) as connection:
        await connection.check()
        assert connection.healthy
        fault(calls_file, "tools/list 403")
        await connection.check()
        await becomes(connection, healthy=False)
        assert "HTTP 403 Forbidden" in connection.error
        fault(calls_file, None)
        await becomes(connection, healthy=True)


@in_every_era
async def test_a_result_of_ten_megabytes_arrives_whole(new_server: NewServer, era: str) -> None:
    lines = 120_000
    async with serving(new_server(era)) as connection:
        answer = await said(connection, call("big", timeout=200, lines=lines))
    assert answer.outcome == "ok"
    assert len(answer.text.encode()) > 10_000_000
    assert answer.text.count("\n") == lines


@pytest.mark.timing
@in_both_eras
async def test_many_calls_that_hang_do_not_use_up_the_connections_for_ever(new_server: NewServer, era: str) -> None:
    server = new_server(era)
    async with serving(server) as connection:
        server.pause()
        hopeless = [said(connection, call("echo", timeout=0.5, text="a")) for _ in range(20)]
        answers = await asyncio.gather(*hopeless)
        assert {answer.outcome for answer in answers} <= {"unknown", "unavailable"}
        server.resume()
        assert (await said(connection, call("echo", text="again"))).text == "again"


def test_nothing_secret_is_in_the_repr_of_a_plan() -> None:
    transport = HttpTransport(f"https://h/mcp?key={SECRET}", {"Authorization": f"Bearer {SECRET}"})
    plan = replace(ServerPlan("first", transport, limits=ServerLimits(concurrent=1, queue=1)), name="other")
    assert SECRET not in repr(plan)
