"""An alert may choose the servers and the provider's own tools of its investigation."""

from pathlib import Path

import pytest

from tarsy_config.config import Config
from tarsy_config.loading.load import load_config
from tarsy_contracts.alert import McpSelection, McpServerSelection
from tarsy_contracts.chain import ResolvedAgent, ResolvedChain

TEXT = """
defaults: {llm_provider: gemini}
mcp_servers:
  kubernetes: {transport: {type: stdio, command: none}, instructions: List first.}
  database: {transport: {type: stdio, command: none}, summarization: {enabled: false}}
agents:
  A: {mcp_servers: [kubernetes]}
  Reading: {mcp_servers: [kubernetes], iteration_strategy: react}
  Quiet: {native_tools: {google_search: false, code_execution: true}}
  Judge: {type: synthesis}
agent_chains:
  one:
    alert_types: [kubernetes]
    stages:
      - {name: look, agents: [{name: A}, {name: Reading}, {name: Quiet}, {name: A, llm_provider: openai}]}
      - {name: judge, agents: [{name: Judge}]}
llm_providers:
  gemini:
    {type: google, model: m, api_key: k, native_tools: {google_search: true, url_context: true, code_execution: false}}
  openai: {type: openai, model: gpt-5-search-api, api_key: k, native_tools: {google_search: true}}
"""


@pytest.fixture
def config(tmp_path: Path) -> Config:
    (tmp_path / "tarsy.yaml").write_text(TEXT, encoding="utf-8")
    return load_config(tmp_path, {})


def agents(chain: ResolvedChain) -> list[ResolvedAgent]:
    return [agent for stage in chain.stages for agent in stage.agents]


def selected(*servers: McpServerSelection, native: dict[str, bool] | None = None) -> McpSelection:
    return McpSelection(servers=servers, native_tools=native)


def test_without_a_selection_all_is_as_configured(config: Config) -> None:
    chain = config.chain_for("kubernetes")
    assert [[server.server for server in agent.servers] for agent in agents(chain)] == [
        ["kubernetes"],
        ["kubernetes"],
        [],
        ["kubernetes"],
        [],
    ]
    assert all(server.tools is None for agent in agents(chain) for server in agent.servers)
    assert config.chain_for("kubernetes", McpSelection()) == chain


def test_selected_servers_replace_those_of_every_agent_that_has_tools(config: Config) -> None:
    selection = selected(
        McpServerSelection(name="database", tools=("query", "explain")), McpServerSelection(name="kubernetes")
    )
    *investigators, judge = agents(config.chain_for("kubernetes", selection))
    for agent in investigators:
        database, kubernetes = agent.servers
        assert (database.server, database.tools, database.summary.enabled) == ("database", ("query", "explain"), False)
        assert (kubernetes.server, kubernetes.tools, kubernetes.instructions) == ("kubernetes", None, "List first.")
    assert judge.servers == ()


def test_those_who_write_at_the_end_get_no_servers_by_a_selection(config: Config) -> None:
    chain = config.chain_for("kubernetes", selected(McpServerSelection(name="database")))
    assert chain.stages[0].synthesis is not None
    assert chain.executive_summary is not None
    assert (chain.stages[0].synthesis.servers, chain.executive_summary.servers) == ((), ())


def test_a_selected_server_that_nobody_configured_stays_in_the_plan(config: Config) -> None:
    chain = config.chain_for("kubernetes", selected(McpServerSelection(name="gone", tools=("a",))))
    (server,) = agents(chain)[0].servers
    assert (server.server, server.tools, server.instructions) == ("gone", ("a",), "")


def test_of_a_server_that_is_selected_twice_the_first_selection_counts(config: Config) -> None:
    selection = selected(McpServerSelection(name="database", tools=("query",)), McpServerSelection(name="database"))
    (server,) = agents(config.chain_for("kubernetes", selection))[0].servers
    assert server.tools == ("query",)


def test_native_tools_are_those_of_the_provider_then_the_agent_then_the_alert(config: Config) -> None:
    usual, _, quiet, openai, judge = agents(config.chain_for("kubernetes"))
    assert usual.native_tools == judge.native_tools == ("google_search", "url_context")
    assert quiet.native_tools == ("url_context", "code_execution")
    assert openai.native_tools == ("google_search",)
    native = {"google_search": True, "url_context": False}
    usual, _, quiet, openai, judge = agents(config.chain_for("kubernetes", selected(native=native)))
    assert usual.native_tools == judge.native_tools == ("google_search",)
    assert quiet.native_tools == ("google_search", "code_execution")
    assert openai.native_tools == ("google_search",)
    assert [server.server for server in usual.servers] == ["kubernetes"]


def test_an_executive_summary_has_no_native_tools(config: Config) -> None:
    chain = config.chain_for("kubernetes", selected(native={"google_search": True}))
    assert chain.executive_summary is not None
    assert chain.executive_summary.native_tools == ()
