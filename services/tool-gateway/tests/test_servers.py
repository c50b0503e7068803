"""What MCP servers do, and what the owner and the catalog hear of it."""

import json
import os
import signal
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from gateway_owner import Owner, call, catalogued, noted, seen_by
from pydantic import JsonValue
from structlog.testing import capture_logs

from tarsy_bus.readers.partition_reader import Record, read_to_end
from tarsy_bus.readers.records import delivery
from tarsy_contracts.messages.workers import ServerCatalogued
from tarsy_contracts.wire.envelope import envelope_of
from tarsy_testing.real_servers import eventually
from tarsy_tool_gateway.mcp.server_plan import ServerPlan, StdioTransport

type Running = Callable[..., AbstractAsyncContextManager[Any]]
type NewPlan = Callable[..., ServerPlan]

SECRET = "hunter2-very-secret"


async def test_a_server_that_dies_in_an_unrepeatable_call_leaves_it_unknown_and_the_next_call_works(
    owner: Owner, running: Running, new_plan: NewPlan, calls_file: Path
) -> None:
    async with running(new_plan()):
        deadly = call("die")
        await owner.ask(deadly)
        await owner.grant(await owner.claim(deadly))
        assert (await owner.result(deadly)).outcome == "unknown"
        assert noted(calls_file, "die") == 1

        after = call("echo", repeatable=True, text="again")
        await owner.ask(after)
        assert (await owner.result(after)).content == "again"


async def test_a_server_that_died_while_nobody_called_it_is_there_again_for_the_next_call(
    owner: Owner, running: Running, new_plan: NewPlan
) -> None:
    async def is_missed() -> bool:
        return any(entry["event"] == "mcp_server.lost" for entry in logs)

    with capture_logs() as logs:
        async with running(new_plan()):
            who = call("process_id", repeatable=True)
            await owner.ask(who)
            os.kill(int((await owner.result(who)).content), signal.SIGKILL)
            # A call that reaches a server that is just dying is unknown, and says so: see the first test.
            await eventually(is_missed, "the gateway has noticed the death")

            request = call("destroy", name="db")
            await owner.ask(request)
            await owner.grant(await owner.claim(request))
            assert (await owner.result(request)).content == "db is gone"


async def test_a_repeatable_call_is_tried_once_more_on_the_next_session(
    owner: Owner, running: Running, new_plan: NewPlan, calls_file: Path
) -> None:
    async with running(new_plan()):
        request = call("die_once", repeatable=True, marker="died")
        await owner.ask(request)
        assert (await owner.result(request)).content == "alive again"
    assert noted(calls_file, "die_once") == 2


@pytest.mark.timing
async def test_a_dead_server_delays_no_other(owner: Owner, running: Running, new_plan: NewPlan) -> None:
    missing = replace(new_plan("missing"), transport=StdioTransport("/nonexistent/server"))
    async with running(missing, new_plan()):
        hopeless = call("echo", server="missing", repeatable=True, text="anybody?", timeout=3)
        await owner.ask(hopeless)
        quick = call("echo", repeatable=True, text="here")
        await owner.ask(quick)

        assert (await owner.result(quick)).content == "here"
        result = await owner.result(hopeless)
    assert result.outcome == "unavailable"
    assert "No such file" in result.content


@pytest.mark.timing
@pytest.mark.parametrize(("repeatable", "outcome"), [(True, "unavailable"), (False, "unknown")])
async def test_a_call_that_takes_too_long_may_have_run(
    owner: Owner, running: Running, new_plan: NewPlan, repeatable: bool, outcome: str
) -> None:
    """The server is up before: on a busy machine its start took more than the time that the call had."""
    async with running(new_plan()):
        first = call("echo", repeatable=True, text="are you there?")
        await owner.ask(first)
        assert (await owner.result(first)).outcome == "ok"
        request = call("slow", repeatable=repeatable, timeout=4, seconds=600)
        await owner.ask(request)
        claim = await owner.claim(request)
        await owner.grant(claim)
        assert (await owner.result(request)).outcome == outcome


@pytest.mark.parametrize(
    ("server", "tool", "arguments", "says"),
    [
        ("nowhere", "echo", {"text": "a"}, "There is no MCP server nowhere. There are: first"),
        ("first", "ecko", {"text": "a"}, "has no tool ecko. It has: big"),
        ("first", "echo", {}, "The arguments do not fit echo: 'text' is a required property"),
    ],
)
async def test_what_cannot_be_called_is_rejected_in_words_that_help(
    owner: Owner,
    running: Running,
    new_plan: NewPlan,
    server: str,
    tool: str,
    arguments: dict[str, JsonValue],
    says: str,
) -> None:
    async with running(new_plan()):
        request = call(tool, server=server, repeatable=True).model_copy(update={"arguments": arguments})
        await owner.ask(request)
        result = await owner.result(request)
    assert result.outcome == "rejected"
    assert says in result.content


async def test_secrets_in_results_and_errors_are_masked(owner: Owner, running: Running, new_plan: NewPlan) -> None:
    async with running(new_plan()):
        fine = call("echo", repeatable=True, text=f"password: {SECRET}")
        failing = call("fail", repeatable=True, message=f"cannot log in with password: {SECRET}")
        strange = call(f"password: {SECRET}", repeatable=True)
        for request in (fine, failing, strange):
            await owner.ask(request)
        results = [await owner.result(request) for request in (fine, failing, strange)]
    assert [result.outcome for result in results] == ["ok", "tool_error", "rejected"]
    assert not [result for result in results if SECRET in result.content]
    assert "cannot log in" in results[1].content


async def test_a_large_result_lies_whole_and_masked_in_pieces(
    owner: Owner, running: Running, new_plan: NewPlan
) -> None:
    lines = 120_000
    async with running(new_plan()):
        request = call("big", repeatable=True, timeout=250, lines=lines)
        await owner.ask(request)
        result = await owner.result(request)

    stored = result.stored
    assert stored is not None
    assert result.cut
    assert len(result.content.encode()) <= 64 * 1024
    assert result.content.endswith("\n")
    assert all(piece.size <= 512 * 1024 for piece in stored.pieces)
    assert sum(piece.size for piece in stored.pieces) == stored.size == result.size > 10_000_000
    assert stored.lines == result.lines == lines

    text = await read_back(owner, request.call_id, stored.partition, [piece.offset for piece in stored.pieces])
    assert text.startswith(result.content)
    assert SECRET not in text
    sent = "".join(f"{number:07} {'é' * 40} \n" for number in range(lines))
    assert [line for line in text.splitlines() if not line.startswith("0001000")] == [
        line for line in sent.splitlines() if not line.startswith("0001000")
    ]


async def read_back(owner: Owner, call_id: str, partition: int, offsets: list[int]) -> str:
    found: dict[int, bytes] = {}

    def take(record: Record) -> None:
        if record.offset in offsets:
            assert record.key == call_id.encode()
            assert delivery(record).envelope.type == "result.piece"
            found[record.offset] = record.value or b""

    await read_to_end(
        owner.bus, owner.bus.topics.results, {partition: offsets[0]}, take, until={partition: offsets[-1] + 1}
    )
    return b"".join(found[offset] for offset in offsets).decode()


async def test_a_server_gets_no_variables_but_those_named_for_it(
    owner: Owner, running: Running, new_plan: NewPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUR_TOKEN", "t")
    async with running(new_plan()):
        request = call("variables", repeatable=True)
        await owner.ask(request)
        names = set((await owner.result(request)).content.split())
    assert "CALLS" in names
    assert "OUR_TOKEN" not in names


async def test_what_a_server_writes_to_standard_error_is_logged_masked(
    owner: Owner, running: Running, new_plan: NewPlan
) -> None:
    async def is_logged() -> bool:
        return "cannot connect" in json.dumps(logs)

    with capture_logs() as logs:
        async with running(new_plan()):
            request = call("complain", repeatable=True, text=f"cannot connect, password: {SECRET}")
            await owner.ask(request)
            await owner.result(request)
            await eventually(is_logged, "the line is in the log")
    assert SECRET not in json.dumps(logs)


async def test_what_a_server_prints_beside_the_protocol_is_survived_and_not_logged(
    owner: Owner, running: Running, new_plan: NewPlan, caplog: pytest.LogCaptureFixture
) -> None:
    with capture_logs() as logs:
        async with running(new_plan()):
            request = call("echo", repeatable=True, text="fine")
            await owner.ask(request)
            assert (await owner.result(request)).content == "fine"
    assert "mcp_server.no_message" in json.dumps(logs, default=str)
    assert SECRET not in json.dumps(logs, default=str) + caplog.text


async def tried(owner: Owner, worker: str, server: str) -> ServerCatalogued | None:
    entry = (await catalogued(owner, worker)).get(server)
    return entry if entry is not None and "not been reached yet" not in entry.error else None


async def test_the_catalog_shows_tools_and_health_until_the_gateway_is_gone(
    owner: Owner, running: Running, new_plan: NewPlan
) -> None:
    declared = replace(new_plan("with-declared"), repeatable_tools=frozenset({"die"}))
    missing = replace(new_plan("missing"), transport=StdioTransport("/nonexistent/server"))
    async with running(declared, missing):
        request = call("echo", server="with-declared", repeatable=True, text="ready")
        await owner.ask(request)
        worker = (await owner.result(request)).worker_id
        good = await seen_by(owner, worker, healthy=True, server="with-declared")
        bad = await eventually(lambda: tried(owner, worker, "missing"), "the program was tried")

    repeatable = {tool.tool: tool.repeatable for tool in good.tools}
    assert [repeatable[tool] for tool in ("echo", "slow", "destroy", "die")] == [True, True, False, True]
    assert good.tools[0].description == "Says it again."
    assert good.tools[0].input_schema["required"] == ["text"]
    assert not bad.healthy
    assert "No such file" in bad.error
    assert await catalogued(owner, worker) == {"with-declared": None, "missing": None}


async def test_what_cannot_be_read_goes_to_the_dead_letters_and_the_next_request_runs(
    owner: Owner, running: Running, new_plan: NewPlan
) -> None:
    topics = owner.bus.topics
    async with running(new_plan()):
        await owner.publisher.write(topics.tool_calls, key=b"k", value=b"no envelope", headers=[], partition=0)
        request = call("echo", repeatable=True)
        envelope = envelope_of(request, id="1", source="test", subject="s", time=request.not_after)
        await owner.publisher.write(topics.tool_calls, key=b"k", value=b"no request", headers=envelope.headers())
        good = call("echo", repeatable=True, text="fine")
        await owner.ask(good)
        assert (await owner.result(good)).outcome == "ok"
        letters = await eventually(partial(both_buried, owner), "both are in the dead letters")
    assert sorted(letters) == [b"no envelope", b"no request"]


async def both_buried(owner: Owner) -> list[bytes] | None:
    found: list[bytes] = []
    starts = dict.fromkeys(range(4), 0)
    await read_to_end(
        owner.bus, owner.bus.topics.dead_letters, starts, lambda record: found.append(record.value or b"")
    )
    return found if len(found) == 2 else None
