"""TARSy as an MCP server: the SDK's client in front, the whole service with a real PostgreSQL and Kafka behind."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any, ClassVar

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import TextContent

from tarsy_bus.client.connection import Bus
from tarsy_contracts.messages.inputs import ChatRequested
from tarsy_contracts.wire.ids import message_id, reply_stage_id
from tarsy_testing.real_servers import WAIT_SECONDS
from tarsy_testing.servers.http_server import Quiet, serving
from tarsy_testing.story.session_owner import owner_answers

pytestmark = pytest.mark.asyncio(loop_scope="module")

type Json = dict[str, Any]

ERAS = ["auto", "legacy"]
TOOLS = {"submit_alert", "find_sessions", "read_session", "read_timeline", "ask_session", "read_reply"}


class Ingest(Quiet):
    """Takes every alert but one without a chain, and keeps what came."""

    came: ClassVar[list[tuple[Json, dict[str, str]]]] = []

    def do_POST(self) -> None:
        alert = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.came.append((alert, {name.lower(): value for name, value in self.headers.items()}))
        if alert.get("alert_type") == "nothing":
            problem = {
                "type": "about:blank", "title": "Invalid request", "status": 400, "detail": "The alert has mistakes.",
                "errors": [{"detail": "no chain is for it", "pointer": "/alert_type"}],
            }  # fmt: skip
            return self._answer(problem, 400)
        return self._answer({"session_id": "new", "status": "queued", "message": "It is queued."}, 202)

    def _answer(self, body: Json, status: int) -> None:
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())


@pytest.fixture(scope="module")
def ingest_url() -> Iterator[str]:
    with serving(Ingest) as url:
        yield url


@asynccontextmanager
async def talking(client: httpx2.AsyncClient, era: str = "auto", **headers: str) -> AsyncIterator[Client]:
    transport = client._transport
    async with (
        httpx2.AsyncClient(transport=transport, headers=headers) as http,
        Client(
            streamable_http_client("http://localhost/mcp", http_client=http),
            mode=era,
            read_timeout_seconds=60,
        ) as talk,
    ):
        yield talk


async def call(talk: Client, tool: str, **arguments: object) -> Json:
    result = await talk.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert result.structured_content is not None
    found: Json = result.structured_content
    return found


async def refused(talk: Client, tool: str, **arguments: object) -> str:
    result = await talk.call_tool(tool, arguments)
    assert result.is_error
    [content] = result.content
    assert isinstance(content, TextContent)
    return content.text


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_finds_the_tools_and_whether_they_change_anything(client: httpx2.AsyncClient, era: str) -> None:
    async with talking(client, era) as talk:
        tools = {tool.name: tool for tool in (await talk.list_tools()).tools}
    assert set(tools) == TOOLS
    read_only = {name for name, tool in tools.items() if tool.annotations and tool.annotations.read_only_hint}
    assert read_only == TOOLS - {"submit_alert", "ask_session"}
    assert [name for name, tool in tools.items() if "$ref" in json.dumps(tool.input_schema)] == []
    assert [name for name, tool in tools.items() if not tool.description or tool.output_schema is None] == []


@pytest.mark.parametrize("era", ERAS)
async def test_a_session_is_found_and_read_as_the_api_shows_it(
    client: httpx2.AsyncClient, session: Any, era: str
) -> None:
    shown = (await client.get(f"/api/v1/sessions/{session.id}")).json()
    async with talking(client, era) as talk:
        found = await call(talk, "find_sessions", status=["completed"], page_size=50)
        report = await call(talk, "read_session", session_id=session.id, wait_seconds=50)
        timeline = await call(talk, "read_timeline", session_id=session.id)

    [row] = [row for row in found["sessions"] if row["session_id"] == session.id]
    assert (row["title"], row["created_at"]) == (shown["title"], shown["created_at"])
    assert (report["status"], report["ended"], report["final_analysis"]) == ("completed", True, "It was DNS.")
    assert [(one["name"], one["agents"]) for one in report["stages"]] == [("look", {"looker": "completed"})]
    items = timeline["items"]
    assert [one["type"] for one in items if one["agent"] == "looker"][:2] == ["llm_thinking", "llm_response"]
    [tool_call] = [one for one in items if one["type"] == "llm_tool_call"]
    assert tool_call["tool"].count(".") == 1
    assert (tool_call["cut"], len(tool_call["content"])) == (True, 4_000)
    assert timeline["next_after"] is None


async def test_a_session_is_waited_for_that_is_read_before_it_is_shown(
    client: httpx2.AsyncClient,
    system_bus: Bus,
    append: Callable[..., Awaitable[int]],
    new_session: Callable[[], Any],
    story: Callable[[Any], Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As an agent does that has just submitted the alert."""
    monkeypatch.setattr("tarsy_mcp_api.tools.APPEAR_SECONDS", WAIT_SECONDS)
    session = story(new_session())
    async with talking(client) as talk, asyncio.TaskGroup() as tasks:
        reading = tasks.create_task(call(talk, "read_session", session_id=session.id, wait_seconds=50))
        await append(system_bus, 1, session.records)
        assert (await reading)["session_id"] == session.id


async def test_a_session_that_is_not_there_and_a_filter_that_is_none_are_said(client: httpx2.AsyncClient) -> None:
    async with talking(client) as talk:
        assert "no session" in await refused(talk, "read_session", session_id="nobody")
        assert "session_id" in await refused(talk, "read_timeline", session_id="../../internal/v1/chains")
        assert "/start_date: Input should" in await refused(talk, "find_sessions", start_date="yesterday")


@pytest.mark.parametrize("era", ERAS)
async def test_an_alert_is_submitted_as_the_caller_with_his_key(client: httpx2.AsyncClient, era: str) -> None:
    async with talking(client, era, Authorization="Bearer k", **{"X-Forwarded-User": "bob"}) as talk:
        taken = await call(talk, "submit_alert", data="pod x crashes", alert_type="crash", idempotency_key="once")
        why = await refused(talk, "submit_alert", data="pod x crashes", alert_type="nothing")
    assert taken == {"session_id": "new", "status": "queued", "message": "It is queued."}
    assert why.endswith("The alert has mistakes.\n/alert_type: no chain is for it")
    (alert, headers), _ = Ingest.came[-2:]
    assert alert == {"data": "pod x crashes", "alert_type": "crash"}
    assert (headers["authorization"], headers["x-forwarded-user"]) == ("Bearer k", "bob")
    assert headers["idempotency-key"] == "once"


async def test_a_question_is_asked_as_the_caller_and_its_reply_read_later(
    client: httpx2.AsyncClient, system_bus: Bus, session: Any
) -> None:
    asking = asyncio.Event()
    owner = asyncio.create_task(owner_answers(system_bus, asking, True, 200, ""))
    await asking.wait()
    async with talking(client, **{"X-Forwarded-User": "bob"}) as talk:
        reply = await call(
            talk, "ask_session", session_id=session.id, question="Since when?", wait_seconds=10, idempotency_key="q"
        )
        [asked] = await owner
        assert isinstance(asked, ChatRequested)
        stage_id = reply_stage_id(message_id(session.id, asked.request_id))
        later = await call(talk, "read_reply", session_id=session.id, stage_id=stage_id, wait_seconds=0)
    assert (asked.author, asked.content) == ("bob", "Since when?")
    assert (reply["stage_id"], reply["status"], reply["ended"], reply["answer"]) == (stage_id, "pending", False, None)
    assert later == reply


async def test_a_question_that_the_owner_refuses_is_refused(
    client: httpx2.AsyncClient, system_bus: Bus, session: Any
) -> None:
    asking = asyncio.Event()
    owner = asyncio.create_task(owner_answers(system_bus, asking, False, 409, "A reply is being written."))
    await asking.wait()
    async with talking(client) as talk:
        why = await refused(talk, "ask_session", session_id=session.id, question="Why?")
    await owner
    assert why.endswith("A reply is being written.")


async def test_only_post_is_taken_and_a_body_that_is_no_message_is_answered(client: httpx2.AsyncClient) -> None:
    accepts = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    assert (await client.get("/mcp", headers=accepts)).status_code == 405
    assert (await client.post("/mcp", headers=accepts, content=b"{")).status_code == 400
    assert (await client.post("/mcp", headers=accepts, content=b"[" * (4 * 2**20 + 1))).status_code == 413
    other = {**accepts, "Content-Type": "text/plain"}
    assert (await client.post("/mcp", headers=other, content=b"{}")).status_code == 415
