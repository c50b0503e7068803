"""`fetch_runbook` through the whole gateway: a call like any other, of a server that no catalog names."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any

import pytest
from gateway_owner import WAIT_SECONDS, Owner, call, catalogued, seen_by
from opentelemetry.trace import NoOpTracer
from prometheus_client import CollectorRegistry
from runbook_server import Answer, RunbookServer, runbook_server
from structlog.testing import capture_logs

from tarsy_bus.background_tasks import background_tasks
from tarsy_contracts.builtin_tools import FETCH_RUNBOOK, OWN_SERVER
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_testing.real_servers import eventually
from tarsy_tool_gateway.app import assemble
from tarsy_tool_gateway.builtin.runbooks.rules import RunbookRules
from tarsy_tool_gateway.mcp.server_plan import ServerPlan
from tarsy_tool_gateway.settings import ToolGatewaySettings

type Running = Callable[..., AbstractAsyncContextManager[Any]]
type NewPlan = Callable[..., ServerPlan]

SECRET = "fake-0rders-Pa55-4417"
RUNBOOK = f"# Disk full\n\npsql postgres://checkout:{SECRET}@orders-db.shop.svc:5432/orders\n"


@pytest.fixture
def server() -> Iterator[RunbookServer]:
    with runbook_server() as server:
        yield server


@pytest.fixture
def rules(server: RunbookServer) -> RunbookRules:
    return RunbookRules(allowed_domains=(server.host,), token=SECRET)


def runbook(url: str, *, timeout: float = 20.0) -> ToolCallRequest:
    return call(FETCH_RUNBOOK, server=OWN_SERVER, repeatable=True, timeout=timeout, url=url)


async def test_a_runbook_is_fetched_masked_and_reported(
    owner: Owner, running: Running, server: RunbookServer, rules: RunbookRules
) -> None:
    request = runbook(server.url("/disk.md", Answer(RUNBOOK.encode())))
    with capture_logs() as logged:
        async with running(runbooks=rules):
            await owner.ask(request)
            result = await owner.result(request)

    assert result.outcome == "ok"
    assert result.content.startswith("# Disk full\n\npsql postgres://checkout:")
    assert SECRET not in result.content
    fetched = [line for line in logged if line["event"] == "runbook.fetched"]
    assert [(line["host"], line["outcome"]) for line in fetched] == [("127.0.0.1", "ok")]
    assert SECRET not in repr(logged)
    assert "Disk full" not in repr(logged)


async def test_many_alerts_with_one_runbook_fetch_it_once(
    owner: Owner, running: Running, server: RunbookServer, rules: RunbookRules
) -> None:
    url = server.url("/disk.md", Answer(RUNBOOK.encode()))
    async with running(runbooks=rules):
        requests = [runbook(url) for _ in range(10)]
        for request in requests:
            await owner.ask(request)
        results = [await owner.result(request) for request in requests]
    assert {result.outcome for result in results} == {"ok"}
    assert len(server.asked) == 1


async def test_a_refused_address_and_an_unknown_tool_of_ours_are_rejected(
    owner: Owner, running: Running, rules: RunbookRules
) -> None:
    async with running(runbooks=rules):
        elsewhere = runbook("https://evil.example.org/x")
        unknown = call("shell", server=OWN_SERVER, repeatable=True)
        for request in (elsewhere, unknown):
            await owner.ask(request)
        refused, rejected = await owner.result(elsewhere), await owner.result(unknown)
    assert (refused.outcome, rejected.outcome) == ("rejected", "rejected")
    assert "is at a host that runbooks may not come from" in refused.content
    assert rejected.content == "The tool gateway has no tool shell of its own."


async def test_a_call_is_not_waited_for_longer_than_it_allows(
    owner: Owner, running: Running, server: RunbookServer, rules: RunbookRules
) -> None:
    request = runbook(server.url("/x", Answer(never=True)), timeout=0.3)
    async with running(runbooks=rules):
        await owner.ask(request)
        result = await owner.result(request)
    assert (result.outcome, result.content) == ("unavailable", "fetch_runbook took longer than 0.3 seconds.")


async def test_a_slow_runbook_keeps_no_other_server_waiting_and_can_be_cancelled(
    owner: Owner, running: Running, new_plan: NewPlan, server: RunbookServer, rules: RunbookRules
) -> None:
    slow = runbook(server.url("/x", Answer(never=True)), timeout=600)
    async with running(new_plan(), runbooks=replace(rules, seconds=600)):
        await owner.ask(slow)
        await owner.claim(slow)
        quick = call("echo", repeatable=True, text="still here")
        await owner.ask(quick)
        assert (await owner.result(quick)).content == "still here"
        await owner.cancel(slow)
        assert (await owner.result(slow)).outcome == "cancelled"


async def test_no_catalog_names_the_gateways_own_tools_and_nobody_is_told_of_them(
    owner: Owner, running: Running, new_plan: NewPlan
) -> None:
    async with running(new_plan()):
        request = call("echo", server="missing", repeatable=True)
        await owner.ask(request)
        result = await owner.result(request)
        await seen_by(owner, result.worker_id, healthy=True)
        seen = await catalogued(owner, result.worker_id)
    assert list(seen) == ["first"]
    assert result.content == "There is no MCP server missing. There are: first"


async def test_calls_of_our_own_are_counted_under_their_server(
    owner: Owner, server: RunbookServer, rules: RunbookRules
) -> None:
    settings = ToolGatewaySettings(kafka=owner.bus.bootstrap, topic_prefix=owner.bus.topics.prefix, client="gateway")
    registry, ready = CollectorRegistry(), asyncio.Event()

    def calls(outcome: str) -> float | None:
        labels = {"server": "tarsy", "outcome": outcome}
        return registry.get_sample_value("tarsy_tool_gateway_calls_total", labels)

    async def shown() -> bool:
        return registry.get_sample_value("tarsy_tool_gateway_calls_running", {"server": "tarsy"}) == 0

    async with background_tasks(assemble(settings, registry, [], rules, NoOpTracer()).run(ready.set)):
        async with asyncio.timeout(WAIT_SECONDS):
            await ready.wait()
        assert (calls("ok"), calls("tool_error")) == (0, 0)
        for request in (runbook(server.url("/disk.md", Answer(b"steps"))), runbook(server.url("/missing"))):
            await owner.ask(request)
            await owner.result(request)
        await eventually(shown, "the load of our own server is shown")
    assert (calls("ok"), calls("tool_error")) == (1, 1)
    assert registry.get_sample_value("tarsy_tool_gateway_server_healthy", {"server": "tarsy"}) is None
