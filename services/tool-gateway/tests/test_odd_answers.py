"""What a server may answer, and what becomes of it: a server of ours that keeps to no rules, over stdio."""

import asyncio
from pathlib import Path

import pytest
from connections import connected, odd, said, until_judged
from gateway_owner import call, noted

from tarsy_tool_gateway.mcp.health import HealthCheck, SessionEnd
from tarsy_tool_gateway.tool_servers import ToolOutput


@pytest.mark.parametrize(
    ("tool", "outcome", "says"),
    [
        ("empty", "ok", "The tool ran, and returned nothing."),
        ("blank", "ok", "The tool ran, and returned nothing."),
        ("failed", "tool_error", "no such pod"),
        ("failed_silently", "tool_error", "The tool failed, and did not say why."),
        ("copy", "ok", '{"pods": 3}'),
        ("structured_only", "ok", '{"pods": 3}'),
        ("image_and_structured", "ok", '[image: image/png, 3 bytes, not shown]\n{"pods": 3}'),
        ("error_of_its_own", "tool_error", "The MCP server first answered with an error: the disk is full"),
        ("error_like_a_timeout", "tool_error", "The MCP server first answered with an error: Resource not found"),
        ("error_like_an_end", "tool_error", "The MCP server first answered with an error: anything"),
        ("invalid_utf8", "ok", "a\ufffd\ufffdb"),
        ("surrogate", "ok", "a\ufffdb"),
    ],
)
async def test_every_answer_has_an_outcome_and_the_session_goes_on(
    calls_file: Path, tool: str, outcome: str, says: str
) -> None:
    ends: list[SessionEnd] = []
    async with connected(odd(calls_file), ends=ends) as connection:
        assert await said(connection, call(tool)) == ToolOutput(outcome, says)  # type: ignore[arg-type]
        assert (await said(connection, call("empty"))).outcome == "ok"
    assert noted(calls_file, tool) == 1 + (tool == "empty")
    assert ends == []


@pytest.mark.parametrize(
    ("tool", "says"),
    [
        ("wrong_shape", "7"),
        ("unknown_block", "[hologram, which is no content of the protocol: {}]"),
        ("against_its_schema", "This does not fit the tool's own schema: 'seven' is not of type 'integer' (at /pods)"),
        ("against_its_schema_by_silence", "7"),
        ("against_its_pattern", "does not match '^(a+)+$' (at /pods)"),
    ],
)
async def test_what_does_not_fit_costs_only_itself(calls_file: Path, tool: str, says: str) -> None:
    async with connected(odd(calls_file)) as connection:
        answer = await said(connection, call(tool))
    assert answer.outcome == "ok"
    assert says in answer.text


async def test_seventeen_megabytes_in_one_block_arrive(calls_file: Path) -> None:
    async with connected(odd(calls_file)) as connection:
        answer = await said(connection, call("huge", timeout=250))
    assert answer.outcome == "ok"
    assert len(answer.text) == 17 * 1024 * 1024


async def test_twenty_thousand_blocks_arrive_in_order(calls_file: Path) -> None:
    async with connected(odd(calls_file)) as connection:
        answer = await said(connection, call("many_blocks"))
    assert answer.text.splitlines() == [str(number) for number in range(20_000)]


@pytest.mark.parametrize("name", ["pods.list", "PODS-list", "p" * 128, "a__b", "-", "7"])
async def test_a_tool_is_called_by_its_exact_name(calls_file: Path, name: str) -> None:
    calls_file.with_name("TOOLS").write_text(f"{name}\nother", encoding="utf-8")
    async with connected(odd(calls_file)) as connection:
        assert await said(connection, call(name)) == ToolOutput("ok", name)
        assert "no tool pods_list. It has: " in (await said(connection, call("pods_list"))).text


async def test_an_expired_session_is_opened_anew_and_the_call_runs_on_it(calls_file: Path) -> None:
    """And when the next one is over as well, the call has failed; that it did not run is sure."""
    async with connected(odd(calls_file)) as connection:
        answer = await said(connection, call("session_not_found"))
        assert (await said(connection, call("empty"))).outcome == "ok"
    assert answer.outcome == "unavailable"
    assert "its session is over" in answer.text
    assert noted(calls_file, "session_not_found") == 2
    assert noted(calls_file, "odd server starts") == 3


async def test_calls_at_once_get_each_its_own_answer(calls_file: Path) -> None:
    async with connected(odd(calls_file)) as connection:
        names = ["empty", "failed", "copy", "wrong_shape", "error_of_its_own", "many_blocks"] * 3
        answers = await asyncio.gather(*(said(connection, call(name)) for name in names))
    outcomes = ["ok", "tool_error", "ok", "ok", "tool_error", "ok"] * 3
    assert [answer.outcome for answer in answers] == outcomes


async def test_a_null_that_the_tool_does_not_know_is_not_sent(calls_file: Path) -> None:
    async with connected(odd(calls_file)) as connection:
        assert await said(connection, call("given", verbose=None, kept=1)) == ToolOutput(
            "ok", '{"kept": 1}', ("verbose",)
        )


async def test_a_boolean_in_quotes_is_sent_without_them(calls_file: Path) -> None:
    async with connected(odd(calls_file)) as connection:
        answer = await said(connection, call("given", verbose="true", kept="1"))
    assert answer == ToolOutput("ok", '{"verbose": true, "kept": "1"}')


async def test_why_a_server_is_lost_is_cut_after_it_was_masked(calls_file: Path) -> None:
    """A secret stands where the reason is cut: half of it would be no secret that anybody knows."""
    async with connected(odd(calls_file, "angry")) as connection:
        await until_judged(connection)
        assert ("***" in connection.error, "hun" in connection.error) == (True, False)
        assert 1900 < len(connection.error) <= 2000


async def test_a_result_whose_schema_takes_too_long_is_passed_on_and_said_so_once(calls_file: Path) -> None:
    unchecked: list[str] = []
    patient = HealthCheck(every_seconds=600, within_seconds=60)
    async with connected(odd(calls_file), unchecked=unchecked, checking=patient, connect_seconds=60) as connection:
        for _ in range(2):
            assert await said(connection, call("with_an_endless_schema", timeout=60)) == ToolOutput(
                "ok", '7\n{"pods": "seven"}'
            )
    assert unchecked == ["first"]
