"""Who may send whom, with which settings and within which limits."""

from pathlib import Path

import pytest

from tarsy_config.errors import InvalidConfigError
from tarsy_config.loading.load import load_config
from tarsy_contracts.alert import McpSelection, McpServerSelection
from tarsy_contracts.chain import ResolvedAgent, ResolvedChain, SubAgentLimits

TEXT = """
defaults: {llm_provider: gemini}
mcp_servers:
  logs: {transport: {type: stdio, command: none}}
  database: {transport: {type: stdio, command: none}}
llm_providers:
  gemini: {type: google, model: m, api_key: k}
  openai: {type: openai, model: m, api_key: k}
"""


def load(
    folder: Path, agents: str, chain: str, selection: McpSelection | None = None, *, defaults: str = ""
) -> ResolvedChain:
    """`chain`: keys of the chain beside its alert types. `defaults`: keys beside the provider."""
    start = TEXT.replace("{llm_provider: gemini}", f"{{llm_provider: gemini, {defaults}}}")
    text = f"{start}agents: {agents}\nagent_chains: {{k: {{alert_types: [kubernetes], {chain}}}}}\n"
    (folder / "tarsy.yaml").write_text(text, encoding="utf-8")
    return load_config(folder, {}).chain_for("kubernetes", selection)


def first(plan: ResolvedChain) -> ResolvedAgent:
    return plan.stages[0].agents[0]


@pytest.mark.parametrize(
    ("agents", "chain", "sent"),
    [
        ("{A: {}, B: {}}", "stages: [{name: s, agents: [{name: A}]}]", ()),
        ("{A: {sub_agents: [B]}, B: {}}", "stages: [{name: s, agents: [{name: A}]}]", ("B",)),
        ("{A: {sub_agents: [B]}, B: {}}", "sub_agents: [A], stages: [{name: s, agents: [{name: A}]}]", ("A",)),
        ("{A: {}, B: {}}", "sub_agents: [A], stages: [{name: s, sub_agents: [B], agents: [{name: A}]}]", ("B",)),
        ("{A: {}, B: {}}", "sub_agents: [A], stages: [{name: s, agents: [{name: A, sub_agents: []}]}]", ()),
        ("{A: {}, B: {}}", "sub_agents: [{name: B}], stages: [{name: s, agents: [{name: A}]}]", ("B",)),
    ],
)
def test_the_last_section_that_names_sub_agents_counts(
    agents: str, chain: str, sent: tuple[str, ...], tmp_path: Path
) -> None:
    assert first(load(tmp_path, agents, chain)).sub_agents == sent


@pytest.mark.parametrize(
    ("chat", "sent"), [("{}", ("B",)), ("{sub_agents: []}", ()), ("{sub_agents: [WebResearcher]}", ("WebResearcher",))]
)
def test_an_agent_that_answers_people_has_those_of_its_chain_or_of_chat(
    chat: str, sent: tuple[str, ...], tmp_path: Path
) -> None:
    stages = "stages: [{name: s, agents: [{name: A}]}]"
    plan = load(tmp_path, "{A: {}, B: {}}", f"sub_agents: [B], chat: {chat}, {stages}")
    assert plan.chat is not None
    assert plan.chat.sub_agents == sent
    assert set(sent) <= plan.sub_agents.keys()


@pytest.mark.parametrize(("agent", "sent"), [("{}", ("B",)), ("{sub_agents: []}", ())])
def test_those_of_the_defaults_are_for_agents_that_name_none(agent: str, sent: tuple[str, ...], tmp_path: Path) -> None:
    stages = "stages: [{name: s, agents: [{name: A}]}]"
    assert first(load(tmp_path, f"{{A: {agent}, B: {{}}}}", stages, defaults="sub_agents: [B]")).sub_agents == sent


@pytest.mark.parametrize(
    ("name", "tools"),
    [
        ("WebResearcher", {"google_search", "url_context"}),
        ("CodeExecutor", {"code_execution"}),
        ("GeneralWorker", set()),
    ],
)
def test_three_that_can_be_sent_are_built_in_with_a_line_to_choose_them_by(
    name: str, tools: set[str], tmp_path: Path
) -> None:
    plan = load(tmp_path, f"{{A: {{sub_agents: [{name}]}}}}", "stages: [{name: s, agents: [{name: A}]}]")
    assert plan.sub_agents[name].description
    assert {*plan.sub_agents[name].native_tools} == tools


def test_what_stands_beside_a_name_wins_over_the_agents_own_definition(tmp_path: Path) -> None:
    named = "[B, {name: B, llm_provider: openai, mcp_servers: [logs]}]"
    chain = f"stages: [{{name: s, agents: [{{name: A, sub_agents: {named}}}]}}]"
    plan = load(tmp_path, "{A: {}, B: {max_iterations: 7, mcp_servers: [database]}}", chain)
    usual, special = (plan.sub_agents[key] for key in first(plan).sub_agents)
    assert (usual.llm_provider, [one.server for one in usual.servers]) == ("gemini", ["database"])
    assert (special.llm_provider, [one.server for one in special.servers]) == ("openai", ["logs"])
    assert usual.max_iterations == special.max_iterations == 7


def test_a_sub_agent_sends_only_whom_its_own_definition_names(tmp_path: Path) -> None:
    chain = "sub_agents: [B, C], orchestrator: {max_depth: 2}, stages: [{name: s, agents: [{name: A}]}]"
    plan = load(tmp_path, "{A: {}, B: {sub_agents: [D]}, C: {}, D: {}}", chain)
    assert {key: one.sub_agents for key, one in plan.sub_agents.items()} == {"B": ("D",), "C": (), "D": ()}


def test_agents_that_send_each_other_end_the_plan(tmp_path: Path) -> None:
    plan = load(tmp_path, "{A: {sub_agents: [B]}, B: {sub_agents: [A]}}", "stages: [{name: s, agents: [{name: A}]}]")
    assert {key: one.sub_agents for key, one in plan.sub_agents.items()} == {"A": ("B",), "B": ("A",)}


def test_the_servers_that_an_alert_selects_are_those_of_sub_agents_too(tmp_path: Path) -> None:
    selection = McpSelection(servers=(McpServerSelection(name="logs", tools=("read",)),))
    agents, chain = "{A: {}, B: {mcp_servers: [database]}}", "stages: [{name: s, sub_agents: [B], agents: [{name: A}]}]"
    (server,) = load(tmp_path, agents, chain, selection).sub_agents["B"].servers
    assert (server.server, server.tools) == ("logs", ("read",))


def test_each_limit_is_that_of_the_last_section_that_has_it(tmp_path: Path) -> None:
    stages = "stages: [{name: s, agents: [{name: A, orchestrator: {max_depth: 3}}]}]"
    chain = f"orchestrator: {{max_agents: 4, max_depth: 2}}, {stages}"
    plan = load(tmp_path, "{A: {sub_agents: [A], orchestrator: {agent_timeout: 2m, max_agents: 9}}}", chain)
    assert first(plan).sub_agent_limits == SubAgentLimits(max_started=4, max_depth=3, seconds=120)


@pytest.mark.parametrize(
    ("agents", "problem"),
    [
        ("{A: {sub_agents: [Nobody]}}", "agents has no Nobody"),
        ("{A: {sub_agents: [{name: A, llm_provider: nothing}]}}", "llm_providers has no nothing"),
        ("{A: {sub_agents: [{name: A, tools: []}]}}", "unknown key"),
        ("{A: {orchestrator: {max_depth: 4}}}", "is not accepted"),
        ("{A: {sub_agents: A}}", "is not a list"),
    ],
)
def test_what_cannot_be_meant_is_refused(agents: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidConfigError, match=problem):
        load(tmp_path, agents, "stages: [{name: s, agents: [{name: A}]}]")


def test_an_agent_that_acts_is_nobodys_sub_agent_yet(tmp_path: Path) -> None:
    plan = load(tmp_path, "{A: {sub_agents: [B]}, B: {type: action}}", "stages: [{name: s, agents: [{name: A}]}]")
    assert plan.sub_agents == {}
