"""What the gateway publishes of its servers: when, and how much of it."""

import os
import signal
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from connections import odd
from gateway_owner import Owner, call, catalogued, seen_by
from mcp_types import Tool, ToolAnnotations

from tarsy_bus.client.connection import record_bytes
from tarsy_bus.client.publisher import NotWrittenError
from tarsy_bus.readers.partition_reader import Record, read_to_end
from tarsy_contracts.chain import ApprovalRule
from tarsy_contracts.messages.workers import CatalogTool, ServerCatalogued
from tarsy_contracts.wire.topics import LIMIT_BYTES
from tarsy_testing.real_servers import eventually
from tarsy_tool_gateway.catalog import CatalogPublisher
from tarsy_tool_gateway.catalog_shortening import MOST_BYTES_EACH, shorten_catalog_entry
from tarsy_tool_gateway.mcp.server_plan import ServerPlan
from tarsy_tool_gateway.mcp.tool_access import is_allowed, needs_approval
from tarsy_tool_gateway.mcp.tool_listing import is_repeatable

type Running = Callable[..., AbstractAsyncContextManager[Any]]
type NewPlan = Callable[..., ServerPlan]


async def history(owner: Owner, worker: str) -> list[bool]:
    found: list[bool] = []

    def take(record: Record) -> None:
        if (record.key or b"").decode() == f"first/{worker}" and record.value:
            found.append(ServerCatalogued.model_validate_json(record.value).healthy)

    await read_to_end(owner.bus, owner.bus.topics.catalog, {0: 0}, take)
    return found


async def test_a_server_that_dies_and_comes_back_is_published_each_time_at_once(
    owner: Owner, running: Running, new_plan: NewPlan
) -> None:
    async with running(new_plan()):
        request = call("process_id", repeatable=True)
        await owner.ask(request)
        result = await owner.result(request)
        first = await seen_by(owner, result.worker_id, healthy=True)
        assert first.checked_at is not None
        assert first.protocol_version >= "2026"
        os.kill(int(result.content), signal.SIGKILL)

        async def is_told() -> bool:
            told = await history(owner, result.worker_id)
            return told[-2:] == [False, True]

        await eventually(is_told, "it was unhealthy, and is healthy again")


async def test_an_entry_that_kafka_did_not_take_is_soon_published_again(
    owner: Owner, running: Running, new_plan: NewPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not when the next one is due: a stage that starts meanwhile would go without the tools."""
    monkeypatch.setattr("tarsy_tool_gateway.catalog.EVERY_SECONDS", 3600.0)
    really, lost = CatalogPublisher._write_entry, list[bool]()

    async def write(publisher: CatalogPublisher, seen: ServerCatalogued) -> None:
        if seen.healthy and not lost:
            lost.append(True)
            raise NotWrittenError("the producer was given up")
        await really(publisher, seen)

    monkeypatch.setattr(CatalogPublisher, "_write_entry", write)
    async with running(new_plan()):
        request = call("echo", repeatable=True, text="hello")
        await owner.ask(request)
        result = await owner.result(request)
        await seen_by(owner, result.worker_id, healthy=True)
    assert lost


async def test_annotations_are_told_as_the_server_says_them(owner: Owner, running: Running, new_plan: NewPlan) -> None:
    plan = replace(new_plan(), unrepeatable_tools=frozenset({"echo"}), repeatable_tools=frozenset({"echo", "destroy"}))
    async with running(plan):
        request = call("process_id", repeatable=True)
        await owner.ask(request)
        seen = await seen_by(owner, (await owner.result(request)).worker_id, healthy=True)
    tools = {tool.tool: tool for tool in seen.tools}
    assert tools["destroy"].annotations is None
    echo, slow = tools["echo"].annotations, tools["slow"].annotations
    assert echo is not None
    assert slow is not None
    assert (echo.read_only, echo.idempotent, echo.destructive) == (True, None, None)
    assert (slow.read_only, slow.idempotent) == (None, True)
    assert [tools[name].repeatable for name in ("echo", "slow", "destroy", "die")] == [False, True, True, False]
    assert [tools[name].read_only for name in ("echo", "slow", "destroy", "process_id")] == [False, False, False, True]
    assert [tools[name].allowed for name in ("echo", "slow", "destroy", "process_id")] == [False, False, False, True]
    assert seen.allow_unset


async def test_a_server_that_changes_its_tools_is_published_at_once(
    owner: Owner, running: Running, calls_file: Path
) -> None:
    async with running(odd(calls_file)):
        request = call("announce", repeatable=True)
        calls_file.with_name("TOOLS").write_text("announce\nbefore", encoding="utf-8")
        await owner.ask(request)
        worker = (await owner.result(request)).worker_id

        async def has_changed() -> bool:
            entry = (await catalogued(owner, worker)).get("first")
            return entry is not None and [tool.tool for tool in entry.tools] == ["announce", "before"]

        await eventually(has_changed, "the catalog shows the tools of now")


async def test_a_catalog_of_many_megabytes_is_published_shorter_and_its_tools_work(
    owner: Owner, running: Running, calls_file: Path
) -> None:
    async with running(odd(calls_file, "wordy")):
        request = call("wordy0", repeatable=True)
        await owner.ask(request)
        result = await owner.result(request)
        seen = await seen_by(owner, result.worker_id, healthy=True)
    assert (result.outcome, result.content) == ("ok", "wordy0")
    assert len(seen.tools) == 401
    assert seen.error == ""
    assert seen.tools[-1].description == "short"
    assert all(tool.description.endswith("[shortened]") for tool in seen.tools[:-1])


def described(name: str, length: int, schema: dict[str, Any] | None = None) -> CatalogTool:
    return CatalogTool(tool=name, description="é" * length, input_schema=schema or {"type": "object"}, repeatable=False)


def entry(*tools: CatalogTool) -> ServerCatalogued:
    return ServerCatalogued(server="s", worker_id="w", healthy=True, error="", tools=tools)


def test_only_what_is_long_is_shortened() -> None:
    small, large = described("small", 100), described("large", 5_000)
    short = shorten_catalog_entry(entry(small, large), 4_096)
    assert short.tools[0] == small
    assert short.tools[1].description.startswith("ééé")
    assert len(short.tools[1].model_dump_json().encode()) <= 4_096


def test_a_schema_loses_its_words_before_it_is_lost() -> None:
    schema = {
        "type": "object",
        "properties": {
            "title": {"type": "string", "title": "T", "description": "x" * 5_000},
            "list": {"anyOf": [{"type": "string", "description": "y" * 5_000}]},
        },
        "required": ["title"],
    }
    (tool,) = shorten_catalog_entry(entry(described("t", 10, schema)), 4_096).tools
    assert tool.input_schema == {
        "type": "object",
        "properties": {"title": {"type": "string"}, "list": {"anyOf": [{"type": "string"}]}},
        "required": ["title"],
    }
    values = {"type": "object", "properties": {"v": {"enum": ["z" * 10 * number for number in range(100)]}}}
    (tool,) = shorten_catalog_entry(entry(described("t", 10, values)), 4_096).tools
    assert tool.input_schema == {"type": "object"}


def test_the_most_tools_that_there_may_be_fit_a_record_at_last() -> None:
    wordy = {"type": "object", "properties": {f"p{number}": {"enum": ["é" * 90]} for number in range(200)}}
    tools = tuple(described("n" * 200 + str(number), 40_000, wordy) for number in range(1000))
    value = shorten_catalog_entry(entry(*tools), MOST_BYTES_EACH[-1]).to_bytes()
    assert record_bytes(b"k", value, []) < LIMIT_BYTES / 1.5


@pytest.mark.parametrize(
    ("notes", "repeatable"),
    [
        (None, False),
        (ToolAnnotations(), False),
        (ToolAnnotations(title="Reads"), False),
        (ToolAnnotations(read_only_hint=True), True),
        (ToolAnnotations(idempotent_hint=True), True),
        (ToolAnnotations(idempotent_hint=True, destructive_hint=True), True),
        (ToolAnnotations(read_only_hint=True, destructive_hint=True), True),
        (ToolAnnotations(read_only_hint=False, idempotent_hint=False), False),
        (ToolAnnotations(destructive_hint=False), False),
        (ToolAnnotations(open_world_hint=False), False),
    ],
)
def test_what_may_be_run_twice(new_plan: NewPlan, notes: ToolAnnotations | None, repeatable: bool) -> None:
    tool = Tool(name="t", input_schema={"type": "object"}, annotations=notes)
    assert is_repeatable(tool, new_plan()) is repeatable
    assert is_repeatable(tool, replace(new_plan(), repeatable_tools=frozenset({"t"}))) is True
    both = replace(new_plan(), repeatable_tools=frozenset({"t"}), unrepeatable_tools=frozenset({"t"}))
    assert is_repeatable(tool, both) is False


def tool_with(notes: ToolAnnotations | None, name: str = "pods_delete") -> Tool:
    return Tool(name=name, input_schema={"type": "object"}, annotations=notes)


@pytest.mark.parametrize(
    ("notes", "read_only"),
    [
        (None, False),
        (ToolAnnotations(), False),
        (ToolAnnotations(read_only_hint=False, destructive_hint=False), False),
        (ToolAnnotations(idempotent_hint=True), False),
        (ToolAnnotations(read_only_hint=True), True),
    ],
)
def test_only_a_read_only_tool_is_allowed_without_a_word_of_the_operator(
    new_plan: NewPlan, notes: ToolAnnotations | None, read_only: bool
) -> None:
    assert is_allowed(tool_with(notes), new_plan()) is read_only
    for pattern in ("pods_delete", "pods_*", "*"):
        assert is_allowed(tool_with(notes), replace(new_plan(), allow=(pattern,))) is True
    assert is_allowed(tool_with(None), replace(new_plan(), allow=("pods_list",))) is False


def test_the_configuration_overrules_the_server_in_both_directions(new_plan: NewPlan) -> None:
    says_so, silent = tool_with(ToolAnnotations(read_only_hint=True)), tool_with(None)
    assert is_allowed(says_so, replace(new_plan(), unrepeatable_tools=frozenset({"pods_delete"}))) is False
    declared = replace(new_plan(), read_only_tools=("pods_*",))
    assert is_allowed(silent, declared) is True
    assert is_repeatable(silent, declared) is True


def test_approve_means_what_changes_something_and_names_mean_themselves(new_plan: NewPlan) -> None:
    reads, changes = tool_with(ToolAnnotations(read_only_hint=True), "pods_list"), tool_with(None)
    every = replace(new_plan(), approve=ApprovalRule(changing=True))
    assert [needs_approval(tool, every) for tool in (reads, changes)] == [False, True]
    named = replace(new_plan(), approve=ApprovalRule(tools=("pods_l*",)))
    assert [needs_approval(tool, named) for tool in (reads, changes)] == [True, False]
