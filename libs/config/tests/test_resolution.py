"""A setting is resolved from the most general place to the most special one."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from tarsy_config.config import Config, UnknownAlertTypeError
from tarsy_config.loading.load import load_config
from tarsy_contracts.alert import McpSelection, McpServerSelection
from tarsy_contracts.chain import CallLimits, ResolvedAgent, ResolvedChain, ResolvedServer, SummaryRule

type Settings = dict[str, Any]
type Configured = Callable[..., Config]

PROVIDERS = ("general", "of-chain", "of-summary", "of-stage-agent", "f1", "f2", "f3", "f4")
SERVERS = ("s1", "s2", "s3", "s4")


@pytest.fixture
def configured(tmp_path: Path) -> Configured:
    """Every level of one agent's settings; a second agent beside it makes the synthesis."""

    def configure(
        *,
        defaults: Settings | None = None,
        agent: Settings | None = None,
        chain: Settings | None = None,
        stage: Settings | None = None,
        stage_agent: Settings | None = None,
        beside: Settings | None = None,
        **more: Settings,
    ) -> Config:
        (tmp_path / "script.yaml").touch()
        agents = [{"name": "A", **(stage_agent or {})}, {"name": "A", **(beside or {})}]
        content = {
            "defaults": {"llm_provider": "general", **(defaults or {})},
            "mcp_servers": {name: {"transport": {"type": "stdio", "command": "none"}} for name in SERVERS},
            "agents": {"A": {"custom_instructions": "Be brief.", **(agent or {})}},
            "agent_chains": {
                "one": {
                    "alert_types": ["kubernetes"],
                    **(chain or {}),
                    "stages": [{"name": "s", **(stage or {}), "agents": agents}],
                }
            },
            "llm_providers": {name: {"type": "scripted", "script": "script.yaml"} for name in PROVIDERS},
            **more,
        }
        (tmp_path / "tarsy.yaml").write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
        return load_config(tmp_path, {})

    return configure


def first_agent(config: Config) -> ResolvedAgent:
    return config.chain_for("kubernetes").stages[0].agents[0]


def server_names(agent: ResolvedAgent) -> list[str]:
    return [server.server for server in agent.servers]


type Level = tuple[str, Any, Any]
"""Where the setting stands, what stands there, and what the agent has then."""

WALKS: dict[str, tuple[Callable[[ResolvedAgent], Any], Any, Sequence[Level]]] = {
    "llm_provider": (
        lambda agent: agent.llm_provider,
        "general",
        [("chain", "of-chain", "of-chain"), ("stage_agent", "of-stage-agent", "of-stage-agent")],
    ),
    "max_iterations": (
        lambda agent: agent.max_iterations,
        20,
        [
            ("defaults", 15, 15),
            ("agent", 14, 14),
            ("chain", 13, 13),
            ("stage", 12, 12),
            ("stage_agent", 11, 11),
        ],
    ),
    "iteration_strategy": (
        lambda agent: agent.controller,
        "function_calling",
        [
            ("defaults", "react", "react"),
            ("agent", "native-thinking", "function_calling"),
            ("chain", "react", "react"),
            ("stage_agent", "function-calling", "function_calling"),
        ],
    ),
    "mcp_servers": (
        server_names,
        [],
        [
            ("agent", ["s1"], ["s1"]),
            ("chain", ["s2", "s1", "s2"], ["s2", "s1"]),
            ("stage", ["s3"], ["s3"]),
            ("stage_agent", ["s4"], ["s4"]),
        ],
    ),
    "fallback_providers": (
        lambda agent: agent.fallback_providers,
        (),
        [
            ("defaults", ["f1", "f1"], ("f1",)),
            ("chain", [{"provider": "f2", "backend": "langchain"}], ("f2",)),
            ("stage", ["f4", "general", "f3"], ("f4", "f3")),
            ("stage_agent", [], ()),
        ],
    ),
    "type": (
        lambda agent: agent.controller,
        "function_calling",
        [("agent", "synthesis", "single_shot"), ("stage_agent", "", "function_calling")],
    ),
}


@pytest.mark.parametrize("setting", WALKS)
def test_each_more_special_place_wins_over_all_more_general_ones(configured: Configured, setting: str) -> None:
    look, otherwise, levels = WALKS[setting]
    said: dict[str, Settings] = {}
    assert look(first_agent(configured())) == otherwise
    for level, value, expected in levels:
        said[level] = {setting: value}
        assert look(first_agent(configured(**said))) == expected, level


@pytest.mark.parametrize("setting", WALKS)
def test_a_special_place_needs_no_general_one(configured: Configured, setting: str) -> None:
    look, _, levels = WALKS[setting]
    for level, value, expected in levels:
        assert look(first_agent(configured(**{level: {setting: value}}))) == expected, level


def test_an_empty_list_of_servers_takes_none_away(configured: Configured) -> None:
    config = configured(agent={"mcp_servers": ["s1"]}, stage_agent={"mcp_servers": []})
    assert server_names(first_agent(config)) == ["s1"]


def test_the_success_policy_is_any_then_that_of_defaults_then_of_the_stage(configured: Configured) -> None:
    def policy(**settings: Settings) -> str:
        return configured(**settings).chain_for("kubernetes").stages[0].success_policy

    assert policy() == "any"
    assert policy(defaults={"success_policy": "all"}) == "all"
    assert policy(defaults={"success_policy": "all"}, stage={"success_policy": "any"}) == "any"


def synthesis(chain: ResolvedChain) -> ResolvedAgent:
    found = chain.stages[0].synthesis
    assert found is not None
    return found


def executive_summary(chain: ResolvedChain) -> ResolvedAgent:
    assert chain.executive_summary is not None
    return chain.executive_summary


@pytest.mark.parametrize(
    ("who", "special"),
    [
        (synthesis, {"stage": {"synthesis": {"llm_provider": "of-summary"}}}),
        (executive_summary, {"chain": {"llm_provider": "of-chain", "executive_summary_provider": "of-summary"}}),
    ],
)
def test_those_who_write_at_the_end_are_asked_where_they_say_or_like_the_chain(
    configured: Configured, who: Callable[[ResolvedChain], ResolvedAgent], special: dict[str, Settings]
) -> None:
    own = {"stage_agent": {"llm_provider": "of-stage-agent"}}

    def provider(**settings: Settings) -> str:
        return who(configured(**(own | settings)).chain_for("kubernetes")).llm_provider

    assert provider() == "general"
    assert provider(chain={"llm_provider": "of-chain"}) == "of-chain"
    assert provider(**({"chain": {"llm_provider": "of-chain"}} | special)) == "of-summary"


def test_without_any_general_provider_they_ask_whom_the_first_agent_asks(configured: Configured) -> None:
    named = {"stage_agent": {"llm_provider": "f1"}, "beside": {"llm_provider": "f2"}}
    chain = configured(defaults={"llm_provider": []}, **named).chain_for("kubernetes")
    assert [agent.llm_provider for agent in chain.agents()] == ["f1", "f2", "f1", "f1", "f1"]


def test_those_who_write_at_the_end_have_no_tools_and_one_question(configured: Configured) -> None:
    config = configured(chain={"mcp_servers": ["s1"], "max_iterations": 7}, defaults={"fallback_providers": ["f1"]})
    chain = config.chain_for("kubernetes")
    for writer in (synthesis(chain), executive_summary(chain)):
        assert (writer.controller, writer.max_iterations, writer.servers) == ("single_shot", 1, ())
        assert writer.fallback_providers == ("f1",)
    assert (synthesis(chain).name, executive_summary(chain).name) == ("SynthesisAgent", "ExecSummaryAgent")


def test_summaries_are_written_by_whom_the_server_or_defaults_name(configured: Configured) -> None:
    servers = {name: {"transport": {"type": "stdio", "command": "none"}} for name in SERVERS}
    servers["s1"]["summarization"] = {"llm_provider": "f1"}
    agent = {"mcp_servers": ["s1", "s2"]}
    chain = configured(agent=agent, mcp_servers=servers).chain_for("kubernetes")
    assert chain.summary_llm_provider == ""
    assert [server.summary.llm_provider for server in chain.stages[0].agents[0].servers] == ["f1", ""]
    assert "f1" in chain.llm_providers
    general = {"summarization": {"llm_provider": "f2"}}
    assert configured(defaults=general).chain_for("kubernetes").summary_llm_provider == "f2"


@pytest.mark.parametrize(
    ("summarization", "stand_ins"),
    [
        ({}, None),
        ({"fallback_list": ""}, None),
        ({"fallback_list": "cheap"}, ("f2", "f1")),
        ({"fallback_providers": ["f1"]}, ("f1",)),
        ({"fallback_providers": []}, ()),
    ],
)
def test_summaries_have_stand_ins_of_their_own(
    configured: Configured, summarization: Settings, stand_ins: tuple[str, ...] | None
) -> None:
    defaults = {"fallback_providers": ["f1"], "summarization": summarization}
    chain = configured(defaults=defaults, fallback_lists={"cheap": ["f2", "f1"]}).chain_for("kubernetes")
    assert chain.summary_fallbacks == stand_ins
    assert chain.llm_providers >= set(stand_ins or ())


def test_replicas_are_the_first_agent_so_many_times(configured: Configured) -> None:
    config = configured(stage={"replicas": 3}, stage_agent={"max_iterations": 5})
    (stage,) = config.chain_for("kubernetes").stages
    assert [(agent.name, agent.max_iterations) for agent in stage.agents] == [("A-1", 5), ("A-2", 5), ("A-3", 5)]
    assert stage.replicas
    assert stage.synthesis is not None
    assert not configured(stage={"replicas": 1}).chain_for("kubernetes").stages[0].replicas


def test_a_resolved_chain_leaves_nothing_to_look_up(configured: Configured) -> None:
    summarization = {"enabled": False, "size_threshold_tokens": 100, "summary_max_token_limit": 50}
    transport = {"type": "stdio", "command": "x", "args": ["{{.SESSION_ID}}"]}
    server = {"transport": transport, "instructions": "Ask.", "summarization": summarization}
    chain = configured(
        defaults={"runbook": "Look first."},
        agent={"mcp_servers": ["s1"]},
        mcp_servers={"s1": server},
        limits={"llm_call": "2m", "tool_call": "500ms", "iteration": "3m", "rate_limit": "1m", "conclusion": "30s"},
        queue={"session_timeout": "10m"},
    ).chain_for("kubernetes")
    assert (chain.chain_id, chain.scripted, chain.default_runbook) == ("one", True, "Look first.")
    assert chain.limits == CallLimits(
        llm_call_seconds=120.0,
        tool_call_seconds=0.5,
        summary_seconds=300.0,
        iteration_seconds=180.0,
        session_seconds=600.0,
        rate_limit_seconds=60.0,
        conclusion_seconds=30.0,
    )
    agent = chain.stages[0].agents[0]
    assert (agent.name, agent.custom_instructions) == ("A", "Be brief.")
    rule = SummaryRule(enabled=False, size_threshold_tokens=100, summary_max_token_limit=50)
    assert agent.servers == (ResolvedServer(server="s1", instructions="Ask.", summary=rule, isolation="session"),)


def test_what_nobody_says_is_what_go_tarsy_has(configured: Configured) -> None:
    """It keeps no time for conclusions."""
    config = configured()
    assert config.chain_for("kubernetes").limits == CallLimits(conclusion_seconds=180.0)
    assert config.queue.max_concurrent_sessions == 5
    assert config.system.github.token_env == "GITHUB_TOKEN"
    runbooks = config.system.runbooks
    assert (runbooks.cache_ttl, runbooks.max_bytes, runbooks.timeout) == (60.0, 262_144, 10.0)
    assert runbooks.allowed_domains == ("github.com", "raw.githubusercontent.com")


def test_an_alert_type_that_no_chain_names_is_unknown(configured: Configured) -> None:
    with pytest.raises(UnknownAlertTypeError, match="no chain names the alert type network"):
        configured().chain_for("network")


# The chat


def chat_agent(config: Config, selection: McpSelection | None = None) -> ResolvedAgent:
    found = config.chain_for("kubernetes", selection).chat
    assert found is not None
    return found


def test_without_a_word_about_it_the_built_in_agent_answers_with_the_servers_of_all_agents(
    configured: Configured,
) -> None:
    config = configured(stage_agent={"mcp_servers": ["s1"]}, beside={"mcp_servers": ["s2", "s1"]})
    agent = chat_agent(config)
    assert agent.name == "ChatAgent"
    assert server_names(agent) == ["s1", "s2"]
    assert config.chain_for("kubernetes").chat_enabled


@pytest.mark.parametrize(
    ("settings", "servers"),
    [
        ({"agent": {"mcp_servers": ["s1"]}}, ["s1"]),
        ({"agent": {"mcp_servers": ["s1"]}, "chain": {"mcp_servers": ["s2"]}}, ["s2"]),
        ({"chain": {"mcp_servers": ["s2"], "chat": {"mcp_servers": ["s3"]}}}, ["s3"]),
    ],
)
def test_servers_of_a_chat_are_those_of_its_section_or_of_the_chain_or_of_its_agent(
    configured: Configured, settings: dict[str, Any], servers: list[str]
) -> None:
    chain = {**settings.get("chain", {})}
    chain["chat"] = {"agent": "A", **chain.get("chat", {})}
    assert server_names(chat_agent(configured(**{**settings, "chain": chain}))) == servers


def test_servers_that_an_alert_selects_are_those_of_its_chat_too(configured: Configured) -> None:
    config = configured(chain={"chat": {"mcp_servers": ["s3"]}})
    selection = McpSelection(servers=(McpServerSelection(name="s2", tools=("one",)),))
    (server,) = chat_agent(config, selection).servers
    assert (server.server, server.tools) == ("s2", ("one",))


def test_a_chat_has_agent_provider_iterations_and_strategy_of_its_own(configured: Configured) -> None:
    keys = {"agent": "A", "llm_provider": "of-chain", "max_iterations": 4, "iteration_strategy": "react"}
    agent = chat_agent(configured(chain={"max_iterations": 9, "chat": keys}))
    assert (agent.name, agent.llm_provider, agent.max_iterations, agent.controller) == ("A", "of-chain", 4, "react")


def test_what_a_chat_does_not_say_its_chain_says(configured: Configured) -> None:
    config = configured(chain={"max_iterations": 9, "llm_provider": "of-chain", "chat": {"agent": "A"}})
    agent = chat_agent(config)
    assert (agent.llm_provider, agent.max_iterations) == ("of-chain", 9)


def test_a_chain_can_switch_chat_off(configured: Configured) -> None:
    assert not configured(chain={"chat": {"enabled": False}}).chain_for("kubernetes").chat_enabled


def test_the_smallest_context_of_a_provider_and_its_fallbacks_counts(configured: Configured) -> None:
    script = {"type": "scripted", "script": "script.yaml"}
    assert first_agent(configured()).context_tokens == 128_000
    providers = {
        "general": script,
        "large": {"type": "google", "model": "g", "api_key": "k"},
        "small": {"type": "openai", "model": "o", "base_url": "http://localhost:1/v1", "context_tokens": 16_000},
    }
    keys = {"llm_provider": "large", "fallback_providers": ["small", "general"]}
    agent = first_agent(configured(stage_agent=keys, llm_providers=providers))
    assert agent.context_tokens == 16_000
    assert agent.known_contexts == {"large": 1_000_000, "small": 16_000}
    assert first_agent(configured(stage_agent={"llm_provider": "large"}, llm_providers=providers)).context_tokens == (
        1_000_000
    )
