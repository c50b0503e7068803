"""A chain is resolved from the most general setting to the most special one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tarsy_config.config import Config, UnknownAlertType
from tarsy_config.load import load_config
from tarsy_contracts.chain import CallLimits, ResolvedServer, SummaryRule

type Configured = Callable[..., Config]


@pytest.fixture
def configured(tmp_path: Path) -> Configured:
    def configure(*, defaults: str = "llm_provider: general", agent: str = "", stage_agent: str = "") -> Config:
        (tmp_path / "script.yaml").touch()
        (tmp_path / "tarsy.yaml").write_text(
            f"""
defaults: {{{defaults}}}
mcp_servers:
  kubernetes:
    transport: {{type: stdio, command: python}}
    instructions: Prefer namespaced queries.
    summarization: {{enabled: false, size_threshold_tokens: 100, summary_max_token_limit: 50}}
agents:
  A: {{mcp_servers: [kubernetes], custom_instructions: Be brief., {agent}}}
agent_chains:
  one: {{alert_types: [kubernetes], stages: [{{name: s, agents: [{{name: A, {stage_agent}}}]}}]}}
llm_providers:
  general: {{type: scripted, script: script.yaml}}
  special: {{type: scripted, script: script.yaml}}
limits: {{llm_call: 2m, tool_call: 500ms}}
""",
            encoding="utf-8",
        )
        return load_config(tmp_path, {})

    return configure


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, 20),
        ({"defaults": "llm_provider: general, max_iterations: 15"}, 15),
        ({"defaults": "llm_provider: general, max_iterations: 15", "agent": "max_iterations: 10"}, 10),
        ({"agent": "max_iterations: 10", "stage_agent": "max_iterations: 5"}, 5),
    ],
)
def test_the_most_special_max_iterations_wins(configured: Configured, settings: dict[str, str], expected: int) -> None:
    chain = configured(**settings).chain_for("kubernetes")
    assert chain.stages[0].agents[0].max_iterations == expected


def test_the_provider_of_the_stage_agent_wins(configured: Configured) -> None:
    chain = configured(stage_agent="llm_provider: special").chain_for("kubernetes")
    assert chain.stages[0].agents[0].llm_provider == "special"
    assert chain.summary_llm_provider == "special"


def test_summaries_may_have_a_provider_of_their_own(configured: Configured) -> None:
    chain = configured(defaults="llm_provider: general, summarization: {llm_provider: special}").chain_for("kubernetes")
    assert chain.stages[0].agents[0].llm_provider == "general"
    assert chain.summary_llm_provider == "special"


def test_a_resolved_chain_leaves_nothing_to_look_up(configured: Configured) -> None:
    chain = configured().chain_for("kubernetes")
    assert chain.chain_id == "one"
    assert chain.scripted
    assert chain.limits == CallLimits(llm_call_seconds=120.0, tool_call_seconds=0.5, summary_seconds=300.0)
    (agent,) = chain.stages[0].agents
    assert (agent.name, agent.custom_instructions) == ("A", "Be brief.")
    rule = SummaryRule(enabled=False, size_threshold_tokens=100, summary_max_token_limit=50)
    assert agent.servers == (
        ResolvedServer(server="kubernetes", instructions="Prefer namespaced queries.", summary=rule),
    )


def test_an_alert_type_that_no_chain_names_is_unknown(configured: Configured) -> None:
    with pytest.raises(UnknownAlertType, match="no chain names the alert type network"):
        configured().chain_for("network")
