"""MCP servers that nobody here wrote, over every transport and in every era that each of them speaks."""

import asyncio
from collections.abc import Iterator

import pytest

from real_servers.subjects import HANDSHAKE, STATELESS, SUBJECTS, Known, Subject
from real_servers.talking import Serve, connected, said
from tarsy_testing.servers.mcp_servers import Surroundings, Wire
from tarsy_tool_gateway.mcp.connection import McpConnection
from tarsy_tool_gateway.mcp.tool_listing import is_repeatable
from tarsy_tool_gateway.tool_servers import ToolOutput

WIRES = [pytest.param(subject, wire, id=f"{subject.name}-{wire}") for subject in SUBJECTS for wire in subject.wires]


def _spoken() -> Iterator[object]:
    """As it is agreed on when nothing is configured, and once more with the older era where that was the newer one."""
    for subject in SUBJECTS:
        for wire, version in subject.wires.items():
            yield pytest.param(subject, wire, "auto", version, id=f"{subject.name}-{wire}-{version}")
            if version == STATELESS:
                yield pytest.param(subject, wire, "legacy", HANDSHAKE, id=f"{subject.name}-{wire}-{HANDSHAKE}")


@pytest.mark.parametrize(("subject", "wire", "protocol", "version"), list(_spoken()))
async def test_all_its_tools_are_listed_and_answer_and_fail_in_words_that_an_agent_can_act_on(
    serve: Serve, around: Surroundings, subject: Subject, wire: Wire, protocol: str, version: str
) -> None:
    talk = subject.talk(around)
    async with connected(serve(subject, wire), protocol) as connection:
        assert connection.protocol_version == version
        assert len(connection.tools) == subject.tools
        assert _unrepeatable(connection) == subject.unrepeatable

        answers = await asyncio.gather(*(said(connection, each.tool, each.arguments) for each in talk.works))
        failure = await said(connection, talk.fails.tool, talk.fails.arguments)
        refusal = await said(connection, talk.misfits.tool, talk.misfits.arguments)
        unknown = await said(connection, "reboot_the_moon", {})

    assert [_told(each, answer) for each, answer in zip(talk.works, answers, strict=True)] == [("ok", True)] * 2
    assert _told(talk.fails, failure) == (talk.failure, True), failure
    assert _told(talk.misfits, refusal) == ("rejected", True), refusal
    assert unknown.outcome == "rejected"
    assert f"has no tool reboot_the_moon. It has: {min(connection.tools)}, " in unknown.text


@pytest.mark.parametrize(("subject", "wire"), WIRES)
async def test_when_it_was_killed_and_is_there_again_the_next_call_works(
    serve: Serve, around: Surroundings, subject: Subject, wire: Wire
) -> None:
    server, known = serve(subject, wire), subject.talk(around).works[0]
    async with connected(server) as connection:
        first = server.pid
        server.kill()
        server.start()
        answer = await said(connection, known.tool, known.arguments)
        assert _told(known, answer) == ("ok", True), answer
        assert server.pid != first


def _told(known: Known, answer: ToolOutput) -> tuple[str, bool]:
    return answer.outcome, known.answer in answer.text


def _unrepeatable(connection: McpConnection) -> frozenset[str]:
    return frozenset(name for name, tool in connection.tools.items() if not is_repeatable(tool, connection.plan))
