"""Whatever a server says in the place of an answer: the call has an end, nothing runs twice, and other calls work."""

import asyncio
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from connections import SECRET, connected
from gateway_owner import call, noted

from chaos.garbage import CONTENTS, NO_HTTP
from chaos.hostile import WIRES, Era, Wire, echoes, hostile, said
from chaos.memory import resident, watched
from tarsy_contracts.events import Outcome
from tarsy_tool_gateway.mcp.connection import McpConnection
from tarsy_tool_gateway.mcp.health import HealthCheck, SessionEnd
from tarsy_tool_gateway.mcp.server_plan import ServerPlan
from tarsy_tool_gateway.tool_servers import ToolOutput

type NewPlan = Callable[..., ServerPlan]

UNANSWERED_SECONDS = 10.0
"""Of calls whose answer nobody waits for in earnest: within that all have to be sent, fifty of them at once. All others
have as long as they need.
"""
MOST_MEGABYTES = 400
NEVER = HealthCheck(every_seconds=600)
LINES = [kind for kind in CONTENTS if kind != "endless"]

# What becomes of a call that must not run twice: the server has answered what nobody can read, or nobody knows.
STDIO: Mapping[str, Outcome] = {
    **dict.fromkeys(LINES, "unknown"),
    # Here it is known whose answer it is.
    **dict.fromkeys(["half_json", "batch"], "tool_error"),
}
HTTP: Mapping[str, Outcome] = {
    **dict.fromkeys([kind for kind in LINES if kind != "html"], "tool_error"),
    **dict.fromkeys(["html", "sse_unended", "sse_cut", "sse_silent", *NO_HTTP], "unknown"),
    "sse_no_json": "tool_error",
    "sse_wrong_id": "tool_error",
}
OF_A_SAFE_ONE: Mapping[Outcome, Outcome] = {"unknown": "unavailable", "tool_error": "tool_error", "ok": "ok"}
BROKEN = {"sse_cut", "html", *NO_HTTP}
"""Here the connection was lost, or a proxy answered, and a safe call is tried once more."""


async def one(connection: McpConnection, kind: str, expected: Outcome) -> tuple[ToolOutput, ToolOutput]:
    seconds = UNANSWERED_SECONDS if expected == "unknown" else 200.0
    unsafe, safe = call(kind, name="unsafe", timeout=seconds), call(kind, name="safe", repeatable=True, timeout=seconds)
    first, second = await asyncio.gather(said(connection, unsafe), said(connection, safe))
    return first, second


@pytest.mark.parametrize(("wire", "era"), WIRES)
async def test_garbage_of_every_kind_at_once_ends_its_own_calls_and_no_others(
    calls_file: Path, wire: Wire, era: Era
) -> None:
    expected = STDIO if wire == "stdio" else HTTP
    async with hostile(calls_file, wire, era) as subject, subject.connected(checking=NEVER) as connection:
        good = asyncio.create_task(said(connection, call("slow", seconds=UNANSWERED_SECONDS / 2)))
        answers = await asyncio.gather(*(one(connection, kind, outcome) for kind, outcome in expected.items()))
        assert (await good).text == "at last"
        assert await echoes(connection, "and now")
    found = dict(zip(expected, answers, strict=True))
    assert {kind: unsafe.outcome for kind, (unsafe, _) in found.items()} == expected
    assert {kind: safe.outcome for kind, (_, safe) in found.items()} == {
        kind: OF_A_SAFE_ONE[outcome] for kind, outcome in expected.items()
    }
    assert {kind: noted(calls_file, f"{kind} unsafe") for kind in expected} == dict.fromkeys(expected, 1)
    twice = {kind for kind in expected if noted(calls_file, f"{kind} safe") == 2}
    assert twice <= BROKEN
    assert not [said for pair in answers for said in pair if SECRET in said.text]


@pytest.mark.parametrize("repeatable", [True, False])
async def test_an_answer_over_http_without_end_is_cut_off_and_costs_no_other_call(
    calls_file: Path, repeatable: bool
) -> None:
    async with hostile(calls_file, "http", "modern") as subject, subject.connected(checking=NEVER) as connection:
        answer = await said(connection, call("endless", repeatable=repeatable, timeout=250))
        assert await echoes(connection, "and now")
        await subject.until_noted("endless ends")
    assert (answer.outcome, "it answered with more than" in answer.text) == ("tool_error", True)
    assert noted(calls_file, "endless") == 1


async def test_a_line_over_stdio_without_end_costs_its_session_and_no_other_server(
    calls_file: Path, new_plan: NewPlan
) -> None:
    ends: list[SessionEnd] = []
    async with (
        hostile(calls_file, "stdio", "legacy") as subject,
        subject.connected(checking=NEVER, ends=ends) as connection,
        connected(new_plan()) as other,
    ):
        assert await echoes(other, "before")
        before = resident(os.getpid())
        async with watched(os.getpid()) as watch:
            unsafe = asyncio.create_task(said(connection, call("endless", timeout=3600)))
            while not unsafe.done():
                assert await echoes(other, "meanwhile")
            assert await echoes(connection, "another process")
        assert (await unsafe).outcome == "unknown"
        assert ends == ["ended"]
    assert noted(calls_file, "endless") == 1
    assert watch.most - before < MOST_MEGABYTES
