"""Which era of the protocol a session begins with, what is remembered of it, and how long a silent server costs."""

import asyncio
import sys
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path

import pytest
from connections import connected, plan_to, said
from gateway_owner import call
from http_servers import HttpServer, NewServer
from mcp import Client

from tarsy_config.sections.transports import Protocol
from tarsy_testing.real_servers import eventually
from tarsy_tool_gateway.mcp.connection import McpConnection
from tarsy_tool_gateway.mcp.diagnosis import Diagnosis, diagnose
from tarsy_tool_gateway.mcp.direct_calls import DirectCalls
from tarsy_tool_gateway.mcp.protocol_versions import ProbingClient, ProtocolVersions
from tarsy_tool_gateway.mcp.server_plan import HttpTransport, StdioTransport
from tarsy_tool_gateway.mcp.tool_listing import list_all_tools
from tarsy_tool_gateway.mcp.transports.opener import opener

NOTING = """
import json, sys, os
for line in sys.stdin:
    asked = json.loads(line)
    method = asked.get("method")
    open(os.environ["CALLS"], "a").write(f"{method}\\n")
    if method == "initialize":
        server = {"name": "old", "version": "7"}
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": server}
    elif method == "tools/list":
        result = {"tools": []}
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""
"""A server of the older era that never answers what it does not know."""

GREETED_ONCE = """
import json, sys, os
greeted = False
for line in sys.stdin:
    asked = json.loads(line)
    method = asked.get("method")
    server = {"name": "both", "version": "1"}
    answer = {"result": {"tools": [], "resultType": "complete", "ttlMs": 0, "cacheScope": "public"}}
    if "id" not in asked:
        continue
    if method == "server/discover" and os.environ["DISCOVER"] == "known":
        greeted = True
        answer = {"result": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
                             "resultType": "complete", "ttlMs": 0, "cacheScope": "public"}}
    elif method == "server/discover":
        answer = {"error": {"code": -32601, "message": "not found"}}
    elif method == "initialize" and greeted:
        answer = {"error": {"code": 0, "message": 'duplicate "initialize" received'}}
    elif method == "initialize":
        answer = {"result": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": server}}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer}), flush=True)
"""
"""A server that takes one greeting, of either era where DISCOVER is `known`: go-sdk 1.7 is one."""
SLOW_START = """while [ ! -e "$GO" ]; do sleep 0.02; done; exec "$0" -c "$1" """


def silent(calls_file: Path, protocol: Protocol = "auto") -> StdioTransport:
    return StdioTransport(sys.executable, ("-c", NOTING), {"CALLS": str(calls_file)}, protocol=protocol)


async def begin(eras: ProtocolVersions, transport: StdioTransport | HttpTransport) -> str:
    """One session, used once. The version that it speaks."""
    async with opener(plan_to(transport), str) as open_streams:
        session: AbstractAsyncContextManager[Client] = eras.speaking(
            partial(ProbingClient, open_streams(lambda: None, DirectCalls()))
        )
        async with asyncio.timeout(200), session as client:
            await list_all_tools(client)
            eras.note_success(client)
            return client.protocol_version


def following(eras: ProtocolVersions) -> Protocol:
    return eras.next


def methods(calls_file: Path) -> list[str]:
    noted = calls_file.read_text("utf-8").splitlines()
    calls_file.unlink()
    return [method for method in noted if not method.startswith("notifications/")]


async def test_a_server_that_does_not_answer_the_probe_is_connected_within_the_time_there_is(
    calls_file: Path,
) -> None:
    transport = silent(calls_file)
    # So long the SDK would wait for the probe alone: no attempt would ever come to its end.
    async with connected(plan_to(transport), connect_seconds=10) as connection:
        await connection.wait_ready(200)
        assert connection.protocol_version == "2025-06-18"


@pytest.mark.timing
@pytest.mark.parametrize(("discover", "version"), [("known", "2026-07-28"), ("unknown", "2025-06-18")])
async def test_a_server_that_starts_more_slowly_than_the_probe_waits_is_greeted_once(
    tmp_path: Path, discover: str, version: str
) -> None:
    go = tmp_path / "GO"
    arguments = ("-c", SLOW_START, sys.executable, GREETED_ONCE)
    transport = StdioTransport("/bin/sh", arguments, {"GO": str(go), "DISCOVER": discover})
    eras = ProtocolVersions("auto", probe_seconds=0.1)
    beginning = asyncio.create_task(begin(eras, transport))
    # The program begins to read when both questions have been sent to it.
    done, _ = await asyncio.wait([beginning], timeout=0.5)
    assert not done
    go.touch()
    assert await beginning == version


async def test_a_server_of_the_older_era_is_not_probed_again(calls_file: Path) -> None:
    eras = ProtocolVersions("auto", probe_seconds=0.5)
    assert await begin(eras, silent(calls_file)) == "2025-06-18"
    assert methods(calls_file) == ["server/discover", "initialize", "tools/list"]
    assert await begin(eras, silent(calls_file)) == "2025-06-18"
    assert methods(calls_file) == ["initialize", "tools/list"]


async def test_the_older_era_can_be_said_and_is_then_never_probed_for(calls_file: Path) -> None:
    assert await begin(ProtocolVersions("legacy", probe_seconds=0.5), silent(calls_file)) == "2025-06-18"
    assert methods(calls_file) == ["initialize", "tools/list"]


async def test_a_server_that_speaks_both_is_met_in_the_newer_era_or_in_the_one_that_was_said(
    new_server: NewServer,
) -> None:
    server = new_server("modern")
    await server.start()
    transport = HttpTransport(server.url)
    assert await begin(ProtocolVersions("auto", probe_seconds=60), transport) >= "2026"
    assert await begin(ProtocolVersions("modern", probe_seconds=60), transport) >= "2026"
    assert await begin(ProtocolVersions("legacy", probe_seconds=60), transport) < "2026"


async def test_only_the_newer_era_is_refused_by_a_server_of_the_older_one(new_server: NewServer) -> None:
    server = new_server("legacy")
    await server.start()
    with pytest.raises(ExceptionGroup) as caught:
        await begin(ProtocolVersions("modern", probe_seconds=60), HttpTransport(server.url))
    assert diagnose(caught.value) == Diagnosis(True, "MCPError: it answered HTTP 400 Bad Request")


async def test_what_worked_is_forgotten_when_it_fails_and_found_anew(new_server: NewServer) -> None:
    newer, older = new_server("modern"), new_server("legacy")
    await newer.start()
    await older.start()
    eras = ProtocolVersions("auto", probe_seconds=60)
    assert await begin(eras, HttpTransport(newer.url)) >= "2026"
    assert following(eras) == "modern"
    with pytest.raises(ExceptionGroup):
        await begin(eras, HttpTransport(older.url))
    assert following(eras) == "auto"
    assert await begin(eras, HttpTransport(older.url)) < "2026"
    assert following(eras) == "legacy"


async def test_a_connection_reconnects_in_the_era_of_a_server_that_was_exchanged(
    new_server: NewServer, calls_file: Path
) -> None:
    server = new_server("modern")
    await server.start()
    async with connected(plan_to(HttpTransport(server.url))) as connection:
        assert (await said(connection, call("echo", text="new"))).text == "new"
        server.kill()
        await until_lost(connection)
        exchanged = HttpServer(server.port, "legacy", {"CALLS": str(calls_file)})
        try:
            await exchanged.start()
            await older(connection)
            assert (await said(connection, call("echo", text="old"))).text == "old"
        finally:
            exchanged.kill()


async def until_lost(connection: McpConnection) -> None:
    """A server without sessions that was exchanged between two requests is not missed, and answers them."""

    async def lost() -> bool:
        await connection.check()
        return not connection.healthy

    await eventually(lost, "the server is missed")


async def older(connection: McpConnection) -> None:
    async with asyncio.timeout(200):
        while not (connection.healthy and connection.protocol_version < "2026"):
            await connection.check()
            await asyncio.sleep(0.1)
