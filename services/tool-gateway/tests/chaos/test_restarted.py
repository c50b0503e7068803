"""A server that comes back with other tools than it had when it died."""

import signal
from typing import Any

import pytest
from connections import plan_to
from gateway_owner import Owner, call, catalogued

from chaos.hostile import WIRES, Subject, said
from tarsy_testing.real_servers import eventually
from tarsy_tool_gateway.mcp.connection import McpConnection
from tarsy_tool_gateway.tool_servers import ToolOutput

GONE = ToolOutput("rejected", "The MCP server first has no tool old. It has: new, other")


async def test_the_vanished_tool_is_rejected_with_what_there_is_and_the_new_one_runs(subject: Subject) -> None:
    subject.offer("old", "other")
    async with subject.connected() as connection:
        assert (await said(connection, call("old"))).text == "old"
        assert (await said(connection, call("new"))).outcome == "rejected"
        subject.offer("new", "other")
        subject.signal(signal.SIGKILL)
        await subject.restarted()
        await lists(connection, {"new", "other"})
        assert await said(connection, call("old")) == GONE
        assert await said(connection, call("new")) == ToolOutput("ok", "new")
        assert connection.changed.is_set()


async def lists(connection: McpConnection, tools: set[str]) -> None:
    async def look() -> bool:
        return connection.healthy and set(connection.tools) == tools

    await eventually(look, f"its tools are {sorted(tools)}")


@pytest.mark.parametrize("subject", WIRES[:1], ids="-".join, indirect=True)
async def test_the_catalog_of_a_whole_gateway_follows(owner: Owner, running: Any, subject: Subject) -> None:
    subject.offer("old", "other")
    async with running(plan_to(subject.transport)):
        first = call("old")
        await owner.ask(first)
        claim = await owner.claim(first)
        await owner.grant(claim)
        assert (await owner.result(first)).content == "old"
        subject.offer("new", "other")
        subject.signal(signal.SIGKILL)

        async def follows() -> bool:
            entry = (await catalogued(owner, claim.worker_id)).get("first")
            return entry is not None and entry.healthy and [tool.tool for tool in entry.tools] == ["new", "other"]

        await eventually(follows, "the catalog lists the new tools")
        gone, new = call("old", repeatable=True), call("new", repeatable=True)
        for request in (gone, new):
            await owner.ask(request)
        refused = await owner.result(gone)
        assert (refused.outcome, refused.content) == (GONE.outcome, GONE.text)
        assert (await owner.result(new)).content == "new"
