"""An agent of others uses TARSy over MCP: by the SDK's client, while services die, and by the inspector's command."""

import asyncio
import json
import os
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from mcp import Client, MCPError
from pydantic import JsonValue

from tarsy_contracts import events as e
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.mcp_install import node_programs
from tarsy_testing.story.live_log import LiveLog
from tarsy_testing.story.log import check_one_chain
from tarsy_testing.system.chains import DATA, rows
from tarsy_testing.system.investigation import INVESTIGATION_SECONDS, Row
from tarsy_testing.system.system import System

ANSWER = "So the answer is the release."
INSPECTOR_SECONDS = 300.0


def address(system: System) -> str:
    return f"{system.of('timeline').url}/mcp"


@asynccontextmanager
async def talking(system: System) -> AsyncIterator[Client]:
    async with Client(address(system), read_timeout_seconds=90) as client:
        yield client


async def ask(system: System, tool: str, **arguments: JsonValue) -> Row:
    """A connection of its own for each call: a client that loses one begins again."""
    async with talking(system) as client:
        result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    found: Row = result.structured_content or {}
    return found


async def until_ended(system: System, tool: str, **arguments: JsonValue) -> Row:
    """As an agent waits: it calls again as long as it is told that there is no end, or cannot reach anybody."""

    async def look() -> Row | None:
        with suppress(MCPError, ExceptionGroup):
            found = await ask(system, tool, **arguments, wait_seconds=5)
            return found if found["ended"] else None
        return None

    return await eventually(look, f"{tool} says the end", seconds=INVESTIGATION_SECONDS)


async def test_an_agent_submits_waits_reads_and_asks_while_the_timeline_dies(system: System, log: LiveLog) -> None:
    alert: dict[str, JsonValue] = {"data": DATA, "alert_type": "asking", "idempotency_key": "of-an-agent"}
    taken = [await ask(system, "submit_alert", **alert) for _ in range(2)]
    session_id = taken[0]["session_id"]
    assert taken[1]["session_id"] == session_id

    waiting = asyncio.create_task(until_ended(system, "read_session", session_id=session_id))
    await log.until_event(str(session_id), e.LlmCallRequested)
    await system.replace("timeline")
    report = await waiting
    told = await log.until_event(str(session_id), e.SessionCompleted)
    (end,) = told.events(e.SessionCompleted)
    assert (report["status"], report["final_analysis"]) == ("completed", end.final_analysis)

    asked = await ask(system, "ask_session", session_id=session_id, question="Is it over?", wait_seconds=0.5)
    await system.replace("timeline")
    reply = await until_ended(system, "read_reply", session_id=session_id, stage_id=asked["stage_id"])
    assert (reply["status"], str(reply["answer"]).splitlines()[-1]) == ("completed", ANSWER)
    told = await log.until_event(str(session_id), e.ReplyCompleted)
    check_one_chain(told)
    assert told.types.count("session.reopened") == 1

    items = rows((await ask(system, "read_timeline", session_id=session_id))["items"])
    shown = rows(system.get(f"/api/v1/sessions/{session_id}/timeline"))
    assert [one["sequence_number"] for one in items] == [one["sequence_number"] for one in shown]
    assert [one["content"] for one in items] == [str(one["content"])[:4000] for one in shown]


def inspect(system: System, home: Path, *command: str) -> JsonValue:
    """The inspector's output."""
    programs = node_programs()
    done = subprocess.run(
        [programs / "mcp-inspector", "--cli", address(system), *command],
        env={**os.environ, "HOME": str(home), "PATH": f"{programs}:{os.environ['PATH']}"},
        capture_output=True, text=True, timeout=INSPECTOR_SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    found: JsonValue = json.loads(done.stdout)
    return found


async def test_the_inspector_finds_no_fault_in_the_tools_and_calls_them(system: System, tmp_path: Path) -> None:
    listed = await asyncio.to_thread(inspect, system, tmp_path, "--method", "tools/list", "--strict")
    assert isinstance(listed, dict)
    names = {str(tool["name"]) for tool in rows(listed["tools"])}
    assert names == {"submit_alert", "find_sessions", "read_session", "read_timeline", "ask_session", "read_reply"}

    call = ("--method", "tools/call", "--tool-name", "submit_alert", "--tool-arg")
    given = (f"data={DATA}", "alert_type=answering", "idempotency_key=of-the-inspector")
    taken = await asyncio.to_thread(inspect, system, tmp_path, *call, *given)
    assert isinstance(taken, dict)
    submitted = taken["structuredContent"]
    assert isinstance(submitted, dict)
    report = await until_ended(system, "read_session", session_id=submitted["session_id"])
    assert report["status"] == "completed"
