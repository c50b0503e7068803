"""What the reference server shows of the protocol beside text: progress, cancellation, images, resources, structure."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from gateway_owner import call

from real_servers.subjects import EVERYTHING
from real_servers.talking import READY_SECONDS, Serve, connected, said
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.mcp_servers import Wire
from tarsy_tool_gateway.mcp.connection import McpConnection
from tarsy_tool_gateway.mcp.progress import ReportProgress
from tarsy_tool_gateway.mcp.tool_server import McpToolServer
from tarsy_tool_gateway.tool_servers import ToolOutput

over_each_wire = pytest.mark.parametrize("wire", list(EVERYTHING.wires))


class Heard:
    """What a call says of itself, as far as it has come."""

    def __init__(self) -> None:
        self.steps: list[tuple[float, float | None]] = []

    @asynccontextmanager
    async def of(self, _: ToolCallRequest) -> AsyncIterator[ReportProgress]:
        yield self._tell

    async def _tell(self, progress: float, total: float | None, message: str | None) -> None:
        self.steps.append((progress, total))

    async def something(self) -> bool:
        return bool(self.steps)


async def long_running(connection: McpConnection, heard: Heard, *, seconds: float, steps: int) -> ToolOutput:
    request = call("trigger-long-running-operation", repeatable=True, timeout=60, duration=seconds, steps=steps)
    return await McpToolServer(connection, READY_SECONDS, progress=heard.of).call(request)


@over_each_wire
async def test_progress_arrives_while_the_call_runs(serve: Serve, wire: Wire) -> None:
    heard = Heard()
    async with connected(serve(EVERYTHING, wire)) as connection:
        answer = await long_running(connection, heard, seconds=0.4, steps=4)
    assert answer.outcome == "ok"
    assert "Long running operation completed. Duration: 0.4 seconds, Steps: 4." in answer.text
    assert heard.steps == [(1, 4), (2, 4), (3, 4), (4, 4)]


@over_each_wire
async def test_other_calls_do_not_wait_for_a_long_one_and_it_can_be_broken_off(serve: Serve, wire: Wire) -> None:
    heard, sessions = Heard(), list[None]()
    async with connected(serve(EVERYTHING, wire), told=lambda: sessions.append(None)) as connection:
        long = asyncio.create_task(long_running(connection, heard, seconds=50, steps=500))
        await eventually(heard.something, "it runs")
        assert "42" in (await said(connection, "get-sum", {"a": 2, "b": 40})).text
        assert not long.done()

        long.cancel()
        await asyncio.wait([long])
        assert long.cancelled()
        assert "42" in (await said(connection, "get-sum", {"a": 2, "b": 40})).text
        assert len(sessions) == 1


@pytest.mark.parametrize(
    ("tool", "arguments", "text"),
    [
        ("get-tiny-image", {}, "[image: image/png, 4033 bytes, not shown]"),
        (
            "get-resource-links",
            {"count": 2},
            "[link to a resource: Text Resource 2, demo://resource/dynamic/text/2]",
        ),
        (
            "get-resource-reference",
            {"resourceType": "Blob"},
            # How many bytes depends on the hour: the server writes the time into it.
            "[resource: demo://resource/dynamic/blob/1, 5",
        ),
        (
            "get-resource-reference",
            {"resourceType": "Text"},
            "[resource: demo://resource/dynamic/text/1]\nResource 1: This is a plaintext resource",
        ),
        ("get-structured-content", {"location": "New York"}, '"conditions":"Cloudy"'),
        ("get-annotated-message", {"messageType": "error", "includeImage": True}, "Error: Operation failed\n[image: "),
    ],
)
async def test_what_is_no_text_is_described(
    serve: Serve, tool: str, arguments: dict[str, str | int | bool], text: str
) -> None:
    async with connected(serve(EVERYTHING, "http")) as connection:
        answer = await said(connection, tool, dict(arguments))
    assert answer.outcome == "ok"
    assert text in answer.text


@over_each_wire
async def test_a_form_that_only_a_person_could_fill_in_is_declined_and_the_call_ends(serve: Serve, wire: Wire) -> None:
    async with connected(serve(EVERYTHING, wire)) as connection:
        answer = await said(connection, "trigger-elicitation-request", {})
    assert answer.outcome == "ok"
    assert "User declined to provide the requested information" in answer.text


async def test_the_server_sees_no_variable_that_was_not_named_for_it(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUR_TOKEN", "of-the-gateway")
    async with connected(serve(EVERYTHING, "stdio")) as connection:
        answer = await said(connection, "get-env", {})
    assert '"PORT"' in answer.text
    assert "OUR_TOKEN" not in answer.text
