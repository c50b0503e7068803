"""An alert that names a tool which its server does not have is told so, with the names that there are."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from pydantic import JsonValue
from structlog.testing import capture_logs

from tarsy_bus.background_tasks import background_tasks
from tarsy_bus.readers.catalog import CatalogEntry
from tarsy_contracts.api.alert_choices import McpChoice
from tarsy_contracts.messages.workers import CatalogTool, ServerCatalogued
from tarsy_ingest.alert_choices import MOST_NAMED, mistakes_in_choices
from tarsy_ingest.alert_rules import AlertRules
from tarsy_ingest.formats.submission import read_submission
from tarsy_ingest.raw_alert import AlertRejectedError
from tarsy_ingest.tool_follower import ToolFollower, names_in
from tarsy_service.supervision import Supervisor
from tarsy_testing.real_servers import bus_of_tests

NOW = datetime(2026, 11, 29, tzinfo=UTC)


def entry(*tools: str, worker: str = "a", healthy: bool = True) -> CatalogEntry:
    seen = ServerCatalogued(
        server="kubernetes",
        worker_id=worker,
        healthy=healthy,
        error="" if healthy else "refused",
        tools=tuple(CatalogTool(tool=name, description="", input_schema={}, repeatable=True) for name in tools),
    )
    return CatalogEntry(seen, 0, NOW, NOW, NOW, frozenset(tools))


def choice(*tools: str, server: str = "kubernetes") -> McpChoice:
    return McpChoice.model_validate({"servers": [{"name": server, "tools": list(tools)}]})


@pytest.mark.parametrize(
    ("entries", "known"),
    [
        ([entry("pods_list")], {"kubernetes": frozenset({"pods_list"})}),
        ([entry("pods_list"), entry("pods_log", worker="b")], {"kubernetes": frozenset({"pods_list", "pods_log"})}),
        ([entry("pods_list", healthy=False)], {}),
        ([], {}),
    ],
)
def test_the_names_are_those_of_servers_that_some_gateway_reaches(
    entries: list[CatalogEntry], known: dict[str, frozenset[str]]
) -> None:
    assert names_in(entries) == known


def test_an_unknown_tool_is_pointed_at_and_the_names_that_there_are_are_told(rules: AlertRules) -> None:
    judging = replace(rules, mcp_tools={"kubernetes": frozenset({"pods_list", "pods_log"})})
    body: JsonValue = {
        "data": "disk full",
        "mcp": {"servers": [{"name": "kubernetes", "tools": ["pods_list", "pod_log"]}]},
    }
    with pytest.raises(AlertRejectedError) as refused:
        read_submission(body, judging, session_id="s", author="ann")
    ((place, text),) = refused.value.mistakes
    assert place == ("mcp", "servers", 0, "tools", 1)
    assert text == "the MCP server has no tool of this name; known: pods_list, pods_log"


def test_tools_of_a_server_that_nobody_reaches_are_not_judged(rules: AlertRules) -> None:
    assert mistakes_in_choices(None, choice("anything"), rules) == []


def test_many_names_are_counted(rules: AlertRules) -> None:
    names = frozenset(f"tool_{number:03}" for number in range(MOST_NAMED + 7))
    ((_, text),) = mistakes_in_choices(None, choice("x"), replace(rules, mcp_tools={"kubernetes": names}))
    assert text.endswith("tool_049 and 7 more")


async def test_a_catalog_that_may_not_be_read_is_told_once_in_the_log_and_as_long_as_it_lasts_at_ready() -> None:
    asked_twice, asked = asyncio.Event(), 0

    async def refuse() -> str:
        nonlocal asked
        asked += 1
        if asked > 2:
            asked_twice.set()
        return "Kafka refuses us."

    follower = ToolFollower(bus_of_tests("127.0.0.1:1", "t"), Supervisor(), refuse)
    with capture_logs() as lines:
        async with background_tasks(follower.run()):
            await asyncio.wait_for(asked_twice.wait(), 60)
            told = list(follower.explain_degraded())
    assert told == ["Tools that alerts name are not checked. Kafka refuses us."]
    assert [line["event"] for line in lines] == ["tools.not_checked"]
    assert follower.known == {}
