"""An alert may choose the LLM provider that all agents of its investigation ask."""

from pathlib import Path

import pytest

from tarsy_config.config import Config
from tarsy_config.loading.load import load_config
from tarsy_config.sections.providers import DEFAULT_CONTEXT_TOKENS
from tarsy_contracts.chain import ResolvedChain

TEXT = """
defaults: {llm_provider: gemini, fallback_providers: [{provider: openai}, {provider: anthropic}]}
mcp_servers:
  kubernetes: {transport: {type: stdio, command: none}, summarization: {llm_provider: gemini}}
agents:
  A: {mcp_servers: [kubernetes]}
agent_chains:
  one:
    alert_types: [kubernetes]
    executive_summary_provider: openai
    chat: {llm_provider: openai}
    stages:
      - {name: look, agents: [{name: A}, {name: A, llm_provider: anthropic}], synthesis: {llm_provider: openai}}
llm_providers:
  gemini: {type: google, model: m, api_key: k, native_tools: {google_search: true}}
  openai: {type: openai, model: m, api_key: k}
  anthropic: {type: anthropic, model: m, api_key: k}
"""


def configured(folder: Path, text: str = TEXT) -> Config:
    (folder / "tarsy.yaml").write_text(text, encoding="utf-8")
    return load_config(folder, {})


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return configured(tmp_path)


def providers(chain: ResolvedChain) -> list[str]:
    return [agent.llm_provider for agent in chain.agents()]


def test_without_a_choice_all_is_as_configured(config: Config) -> None:
    chain = config.chain_for("kubernetes")
    assert providers(chain) == ["gemini", "anthropic", "openai", "openai", "openai"]
    assert config.chain_for("kubernetes", None, None) == chain


def test_a_chosen_provider_is_asked_by_all_agents_whoever_is_configured_for_them(config: Config) -> None:
    chain = config.chain_for("kubernetes", llm_provider="anthropic")
    assert providers(chain) == ["anthropic"] * 5


def test_fallbacks_stay_but_for_the_provider_that_is_asked_first(config: Config) -> None:
    for agent in config.chain_for("kubernetes", llm_provider="openai").agents():
        assert agent.fallback_providers == ("anthropic",)


def test_limits_and_native_tools_are_those_of_the_chosen_provider(config: Config) -> None:
    first = config.chain_for("kubernetes").stages[0].agents[0]
    chosen = config.chain_for("kubernetes", llm_provider="anthropic").stages[0].agents[0]
    assert (first.native_tools, chosen.native_tools) == (("google_search",), ())
    assert chosen.context_tokens == DEFAULT_CONTEXT_TOKENS  # openai may have to go on


def test_summaries_ask_it_where_the_configuration_names_nobody_for_them(tmp_path: Path) -> None:
    summarized = TEXT.replace("defaults: {", "defaults: {summarization: {llm_provider: gemini}, ")
    general = configured(tmp_path, summarized).chain_for("kubernetes", llm_provider="anthropic")
    assert general.summary_llm_provider == "gemini"
    chain = configured(tmp_path).chain_for("kubernetes", llm_provider="anthropic")
    assert chain.summary_llm_provider == ""  # the agent's own
    assert chain.stages[0].agents[0].servers[0].summary.llm_provider == "gemini"


def test_a_provider_that_is_not_configured_stays_in_the_plan(config: Config) -> None:
    chain = config.chain_for("kubernetes", llm_provider="gone")
    assert providers(chain) == ["gone"] * 5
    assert chain.stages[0].agents[0].native_tools == ()
    assert not chain.scripted
