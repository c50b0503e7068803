"""Tools that come and go, and lists of many pages."""

import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from connections import SECRET, connected, odd, plan_to, said
from gateway_owner import call, noted
from http_servers import HttpProgram

from tarsy_config.sections.servers import Elicitation
from tarsy_processes.ports import free_port
from tarsy_testing.real_servers import eventually
from tarsy_tool_gateway.mcp import session
from tarsy_tool_gateway.mcp.connection import McpConnection
from tarsy_tool_gateway.mcp.health import HealthCheck
from tarsy_tool_gateway.mcp.server_plan import HttpTransport, StdioTransport, TransportPlan
from tarsy_tool_gateway.tool_servers import ToolOutput

NEVER = HealthCheck(every_seconds=600)
PROGRAM = Path(__file__).with_name("changing_server.py")


@pytest.fixture(params=["stdio modern", "stdio legacy", "http modern", "http legacy"])
async def transport(request: pytest.FixtureRequest) -> AsyncIterator[TransportPlan]:
    kind, protocol = request.param.split()
    if kind == "stdio":
        yield StdioTransport(sys.executable, (str(PROGRAM),), protocol=protocol)
        return
    server = HttpProgram(PROGRAM, free_port(), {})
    await server.start()
    try:
        yield HttpTransport(server.url, protocol=protocol)
    finally:
        server.kill()


async def has(connection: McpConnection, tool: str, *, wanted: bool = True) -> None:
    async def look() -> bool:
        return (tool in connection.tools) is wanted

    await eventually(look, f"{tool} is a tool: {wanted}")


async def test_a_tool_is_there_when_its_server_says_so_and_gone_when_it_says_so(transport: TransportPlan) -> None:
    async with connected(plan_to(transport), checking=NEVER) as connection:
        assert (await said(connection, call("add", name="late.one"))).text == "added"
        await has(connection, "late.one")
        assert connection.changed.is_set()
        assert await said(connection, call("late.one")) == ToolOutput("ok", "late.one it is")

        assert (await said(connection, call("remove", name="late.one"))).text == "removed"
        await has(connection, "late.one", wanted=False)
        gone = await said(connection, call("late.one"))
    assert gone == ToolOutput("rejected", "The MCP server first has no tool late.one. It has: add, ask, filled, remove")


@pytest.mark.parametrize("transport", ["stdio legacy", "http legacy"], indirect=True)
@pytest.mark.parametrize(
    ("tool", "setting", "answered"),
    [
        ("ask", "accept_defaults", "decline"),
        ("filled", "decline", "decline"),
        ("filled", "accept_defaults", "accept namespace='shop' lines=50"),
    ],
)
async def test_a_question_to_the_user_is_declined_unless_it_brings_answers_that_the_operator_lets_it_have(
    transport: TransportPlan, tool: str, setting: Elicitation, answered: str
) -> None:
    plan = replace(plan_to(transport), elicitation=setting)
    async with connected(plan, checking=NEVER) as connection:
        answer = await said(connection, call(tool))
        assert (await said(connection, call("add", name="still-there"))).outcome == "ok"
    assert (answer.outcome, answered in answer.text) == ("ok", True)


def offer(calls_file: Path, *tools: str) -> None:
    calls_file.with_name("TOOLS").write_text("\n".join(tools), encoding="utf-8")


async def test_fifty_words_of_a_change_make_one_list(calls_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Long enough for fifty words of a server that a busy machine stops in between.
    monkeypatch.setattr(session, "SETTLE_SECONDS", 3.0)
    async with connected(odd(calls_file), checking=NEVER) as connection:
        await connection.wait_ready(90)
        offer(calls_file, "announce", "new")
        await said(connection, call("announce"))
        await has(connection, "new")
    assert noted(calls_file, "tools/list") == 2


async def test_a_change_that_nobody_told_is_found_by_the_next_check(calls_file: Path) -> None:
    async with connected(odd(calls_file), checking=HealthCheck(every_seconds=0.2, within_seconds=60)) as connection:
        await connection.wait_ready(90)
        offer(calls_file, "new")
        await has(connection, "new")
        await has(connection, "empty", wanted=False)


async def test_a_list_that_has_not_changed_is_no_news(calls_file: Path) -> None:
    async with connected(odd(calls_file), checking=HealthCheck(every_seconds=0.1, within_seconds=60)) as connection:
        await connection.wait_ready(90)
        connection.changed.clear()
        tools, checks = connection.tools, connection.checks

        async def checked() -> bool:
            return noted(calls_file, "tools/list") > 3

        await eventually(checked, "the server was asked again and again")
        assert not connection.changed.is_set()
        assert (connection.tools is tools, connection.checks is checks) == (True, True)


async def test_a_list_of_many_pages_is_read_to_its_end(calls_file: Path) -> None:
    offer(calls_file, *(f"tool-{number}" for number in range(20)))
    async with connected(odd(calls_file, "paged"), checking=NEVER) as connection:
        assert await said(connection, call("tool-19")) == ToolOutput("ok", "tool-19")
        assert list(connection.tools) == [f"tool-{number}" for number in range(20)]
    assert noted(calls_file, "tools/list") == 7


@pytest.mark.parametrize(
    ("listing", "says"),
    [
        ("endless", "its list of tools has more than 100 pages"),
        ("round", "its list of tools comes around again and again"),
        ("many", "it lists more than 1000 tools"),
        ("heavy", "it answered with a line of more than 8388608 bytes"),
        ("heavy_pages", "its list of tools has 8"),
    ],
)
async def test_a_list_without_end_is_told(calls_file: Path, listing: str, says: str) -> None:
    async with connected(odd(calls_file, listing)) as connection:

        async def told() -> bool:
            return says in connection.error

        await eventually(told, "the error says it")
        assert (connection.healthy, connection.listing_refused, connection.misconfigured) == (False, True, False)
    assert SECRET not in connection.error
