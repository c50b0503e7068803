"""`tarsy servers`: what the timeline's own answers look like in a terminal."""

import io
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from rich.console import Console

from tarsy_bus.readers.catalog import CatalogEntry
from tarsy_cli.api import ApiAnswer
from tarsy_cli.lists import agent_tools
from tarsy_cli.lists import servers as showing
from tarsy_contracts.api.configuration import ChainAgent, EffectiveConfiguration
from tarsy_contracts.messages.workers import CatalogTool, ServerCatalogued
from tarsy_timeline.system.responses import mcp_server, mcp_servers, system_warnings
from tarsy_timeline.system.server_warnings import warnings_of
from tarsy_timeline.system.servers import ServerOfGateways, servers_of

BEGAN = datetime(2026, 11, 22, 10, 0, tzinfo=UTC)
TOOL = CatalogTool(tool="pods\x1b[2J", description="Lists\nthe [red]pods[/red].", input_schema={}, repeatable=True)

NO_AGENTS = EffectiveConfiguration(
    version="1", defaults={}, limits={}, queue={}, system={}, agents={}, chains={}, mcp_servers={}, llm_providers={},
    skills={},
)  # fmt: skip
PODS = ChainAgent(chain_id="pods", stage="look", agent="Pods", mcp_servers=("kubernetes",))


def entry(worker: str, *, server: str = "kubernetes", error: str = "", misconfigured: bool = False) -> CatalogEntry:
    seen = ServerCatalogued(
        server=server, worker_id=worker, healthy=not error, error=error, misconfigured=misconfigured,
        tools=(TOOL,) if not error else (),
    )  # fmt: skip
    return CatalogEntry(seen, 0, BEGAN, BEGAN, BEGAN, frozenset())


def answering(
    monkeypatch: pytest.MonkeyPatch, servers: list[ServerOfGateways], configuration: EffectiveConfiguration = NO_AGENTS
) -> io.StringIO:
    """The API knows these; the output comes out."""
    answers = {
        "/system/mcp-servers": mcp_servers(servers, most_tools=9).model_dump(mode="json"),
        "/system/config": configuration.model_dump(mode="json"),
        "/system/warnings": system_warnings(warnings_of(servers, [(True, BEGAN)], BEGAN), len(servers)).model_dump(
            mode="json"
        ),
        **{f"/system/mcp-servers/{one.name}": mcp_server(one).model_dump(mode="json") for one in servers},
    }

    def get(url: str, **_: str | int) -> ApiAnswer:
        return answers[url]

    monkeypatch.setattr(showing, "get", get)
    monkeypatch.setattr(agent_tools, "get", get)
    return io.StringIO()


def terminal(out: io.StringIO) -> Console:
    return Console(file=out, color_system=None, soft_wrap=True)


def test_each_server_is_a_line_and_each_warning_says_since_when(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [
        entry("a"),
        entry("b", error="connection refused"),
        entry("a", server="git", error="no such command: git", misconfigured=True),
    ]
    out = answering(monkeypatch, servers_of(entries, lambda _: True, lambda _: BEGAN))
    showing.print_servers("", terminal(out))
    heading, *lines = out.getvalue().splitlines()
    assert heading.split() == ["server", "state", "tools", "gateways", "error"]
    assert [line.split() for line in lines[:2]] == [
        ["git", "misconfigured", "0", "0", "of", "1", "no", "such", "command:", "git"],
        ["kubernetes", "healthy", "1", "1", "of", "2"],
    ]
    assert lines[2:] == [
        "The MCP server git is configured wrongly. Since 2026-11-22T10:00:00.000Z.",
        "  no such command: git",
        "The MCP server kubernetes is reached by 1 of 2 tool gateways. Since 2026-11-22T10:00:00.000Z.",
        "  connection refused",
    ]


def test_a_server_that_waits_for_a_login_names_the_command_and_one_that_has_it_says_until_when(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    command = "nobody has logged in: run `tarsy servers login git`"
    waiting, known = entry("a", server="git", error=command), entry("a", server="jira")
    seen = waiting.seen.model_copy(update={"login_needed": True})
    until = known.seen.model_copy(update={"logged_in_until": BEGAN})
    entries = [replace(waiting, seen=seen), replace(known, seen=until)]
    out = answering(monkeypatch, servers_of(entries, lambda _: True, lambda _: BEGAN))
    showing.print_servers("", terminal(out))
    _, git, jira, warning, details = (" ".join(line.split()) for line in out.getvalue().splitlines())
    assert git == f"git needs login 0 0 of 1 {command}"
    assert jira == "jira healthy 1 1 of 1 logged in until 2026-11-22T10:00:00.000Z"
    assert warning.startswith("The MCP server git needs a person to log in. Since ")
    assert details == command


def test_a_server_whose_first_attempt_is_not_over_is_starting_and_no_reason_to_worry(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    beginning = entry("a", server="logs", error="it has not been reached yet")
    entries = [replace(beginning, seen=beginning.seen.model_copy(update={"starting": True}))]
    out = answering(monkeypatch, servers_of(entries, lambda _: True, lambda _: BEGAN))
    showing.print_servers("", terminal(out))
    _, *lines = (" ".join(line.split()) for line in out.getvalue().splitlines())
    assert lines == ["logs starting 0 0 of 1 it has not been reached yet"]


def test_one_server_is_told_with_its_tools_and_nothing_in_them_reaches_the_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = answering(monkeypatch, servers_of([entry("a")], lambda _: True, lambda _: BEGAN))
    showing.print_server("", "kubernetes", terminal(out))
    first, seen, count, tool = out.getvalue().splitlines()
    assert (first, seen, count) == ("kubernetes: healthy", "  seen by a: healthy", "1 tool")
    assert tool.split() == ["pods�[2J", "repeatable", "Lists", "the", "[red]pods[/red]."]


def test_each_agent_is_told_with_its_tools_and_the_line_for_those_that_it_lacks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = entry("a")
    denied = TOOL.model_copy(update={"tool": "pods_delete", "allowed": False})
    entries = [replace(said, seen=said.seen.model_copy(update={"tools": (denied,)}))]
    out = answering(
        monkeypatch,
        servers_of(entries, lambda _: True, lambda _: BEGAN),
        NO_AGENTS.model_copy(update={"chain_agents": (PODS,)}),
    )
    showing.print_servers("", terminal(out))
    lines = out.getvalue().splitlines()
    assert "pods / look / Pods: 0 tools of kubernetes" in lines
    assert any("`mcp_servers.kubernetes.allow: [pods_delete]` in tarsy.yaml" in line for line in lines)


def test_without_servers_it_says_where_they_come_from(monkeypatch: pytest.MonkeyPatch) -> None:
    out = answering(monkeypatch, [])
    showing.print_servers("", terminal(out))
    assert "the configuration names" in out.getvalue()
