"""What is built in is there when it is wanted, costs nothing when it is not, and gives way as a whole."""

from pathlib import Path

import pytest

from tarsy_config.checks.keys import keys_are_set
from tarsy_config.config import Config
from tarsy_config.errors import InvalidConfigError
from tarsy_config.loading.load import load_config

SCRIPTED = "llm_providers: {scripted: {type: scripted, script: tarsy.yaml}}\n"
OWN_CHAIN = "agent_chains: {own: {alert_types: [kubernetes], stages: [{name: s, agents: [{name: %s}]}]}}\n"


def load(folder: Path, text: str, **environ: str) -> Config:
    (folder / "tarsy.yaml").write_text(text, encoding="utf-8")
    return load_config(folder, environ, also=(keys_are_set,))


def test_a_key_and_a_provider_are_enough(tmp_path: Path) -> None:
    config = load(tmp_path, "defaults: {llm_provider: google-default}", GOOGLE_API_KEY="k", KUBECONFIG="/my/kube")
    chain = config.chain_for("kubernetes")
    assert (chain.chain_id, [stage.name for stage in chain.stages]) == ("kubernetes", ["analysis"])
    (agent,) = chain.stages[0].agents
    assert (agent.name, agent.llm_provider) == ("KubernetesAgent", "google-default")
    assert agent.native_tools == ("google_search", "url_context")
    assert [server.server for server in agent.servers] == ["kubernetes-server"]
    transport = config.mcp_servers["kubernetes-server"].transport
    assert transport.command == "npx"
    assert {name: value.get_secret_value() for name, value in transport.env.items()} == {"KUBECONFIG": "/my/kube"}
    assert list(config.usable_llm_providers) == ["google-default"]


def test_what_nothing_refers_to_costs_nothing(tmp_path: Path) -> None:
    text = "defaults: {llm_provider: scripted}\nagents: {A: {}}\n" + OWN_CHAIN % "A" + SCRIPTED
    config = load(tmp_path, text, GOOGLE_API_KEY="k", OPENAI_API_KEY="k")
    assert list(config.mcp_servers) == []
    assert list(config.usable_llm_providers) == ["scripted"]
    assert config.alert_types() == {"kubernetes": "own"}


def test_the_server_of_a_built_in_agent_comes_with_it(tmp_path: Path) -> None:
    text = "defaults: {llm_provider: scripted}\n" + OWN_CHAIN % "KubernetesAgent" + SCRIPTED
    assert list(load(tmp_path, text).mcp_servers) == ["kubernetes-server"]


def test_a_server_that_only_an_unused_agent_names_is_not_started(tmp_path: Path) -> None:
    agents = "agents: {A: {}, Unused: {mcp_servers: [kubernetes-server]}}\n"
    text = "defaults: {llm_provider: scripted}\n" + agents + OWN_CHAIN % "A" + SCRIPTED
    assert list(load(tmp_path, text).mcp_servers) == []


def test_the_built_in_chain_is_there_for_the_default_alert_type_only(tmp_path: Path) -> None:
    other = "agent_chains: {db: {alert_types: [database], stages: [{name: s, agents: [{name: GeneralWorker}]}]}}\n"
    beside = load(tmp_path, "defaults: {llm_provider: scripted}\n" + other + SCRIPTED)
    assert beside.alert_types() == {"database": "db", "kubernetes": "kubernetes"}
    alone = load(tmp_path, "defaults: {llm_provider: scripted, alert_type: database}\n" + other + SCRIPTED)
    assert alone.alert_types() == {"database": "db"}
    assert list(alone.mcp_servers) == []


@pytest.mark.parametrize("name", ["SynthesisAgent", "ExecSummaryAgent", "KubernetesAgent"])
def test_an_agent_of_the_same_name_replaces_the_whole_of_it(tmp_path: Path, name: str) -> None:
    agents = f"agents: {{{name}: {{description: mine}}}}\n"
    chain = (OWN_CHAIN % "KubernetesAgent").replace("name: s,", "name: s, replicas: 2,")
    plan = load(tmp_path, "defaults: {llm_provider: scripted}\n" + agents + chain + SCRIPTED).chain_for("kubernetes")
    (mine,) = {agent.custom_instructions for agent in plan.agents() if agent.name.split("-")[0] == name}
    assert mine == ""
    assert all(agent.custom_instructions for agent in plan.agents() if agent.name.split("-")[0] != name)
    assert [server.server for server in plan.stages[0].agents[0].servers] == (
        [] if name == "KubernetesAgent" else ["kubernetes-server"]
    )


def test_a_provider_of_the_same_name_replaces_the_whole_of_it(tmp_path: Path) -> None:
    text = "defaults: {llm_provider: google-default}\nllm_providers: {google-default: {type: google, model: mine}}\n"
    config = load(tmp_path, text, GOOGLE_API_KEY="k")
    assert config.llm_providers["google-default"].model == "mine"
    assert config.chain_for("kubernetes").stages[0].agents[0].native_tools == ()


def test_a_server_of_the_same_name_replaces_the_whole_of_it(tmp_path: Path) -> None:
    text = (
        "defaults: {llm_provider: scripted}\nmcp_servers: {kubernetes-server: {transport: {type: stdio, command: k}}}\n"
    )
    server = load(tmp_path, text + SCRIPTED).mcp_servers["kubernetes-server"]
    assert (server.transport.command, server.transport.args, server.instructions) == ("k", (), "")


def test_a_chain_of_the_same_name_replaces_the_whole_of_it(tmp_path: Path) -> None:
    chain = (OWN_CHAIN % "GeneralWorker").replace("own:", "kubernetes:").replace("[kubernetes]", "[other]")
    with pytest.raises(InvalidConfigError, match="no chain names the default alert type kubernetes"):
        load(tmp_path, "defaults: {llm_provider: scripted}\n" + chain + SCRIPTED)


def test_the_key_of_a_built_in_provider_is_asked_for_where_it_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidConfigError) as caught:
        load(tmp_path, "defaults:\n  llm_provider: xai-default\n")
    assert str(caught.value) == (
        "tarsy.yaml:2: defaults.llm_provider: xai-default has no API key; "
        "set XAI_API_KEY in the environment of this service"
    )


def test_the_key_of_a_fallback_is_asked_for_too(tmp_path: Path) -> None:
    text = "defaults:\n  llm_provider: scripted\n  fallback_providers: [{provider: openai-default}]\n" + SCRIPTED
    with pytest.raises(InvalidConfigError, match="openai-default has no API key; set OPENAI_API_KEY"):
        load(tmp_path, text)
    assert load(tmp_path, text, OPENAI_API_KEY="k").llm_providers_in_use == {"scripted", "openai-default"}


def test_of_several_defaults_a_built_in_one_without_a_key_is_skipped(tmp_path: Path) -> None:
    config = load(tmp_path, "defaults: {llm_provider: [google-default, openai-default]}", OPENAI_API_KEY="k")
    assert config.llm_providers_in_use == {"openai-default"}


def test_the_repository_s_own_configuration_is_as_it_was() -> None:
    config = load_config(Path(__file__).parents[3] / "config", {}, also=(keys_are_set,))
    chain = config.chain_for("kubernetes")
    (agent,) = chain.stages[0].agents
    assert (chain.chain_id, chain.scripted, agent.name, agent.llm_provider) == (
        "kubernetes",
        True,
        "KubernetesAgent",
        "scripted",
    )
    assert (agent.max_iterations, [server.server for server in agent.servers]) == (20, ["kubernetes"])
    assert (list(config.mcp_servers), list(config.usable_llm_providers)) == (["kubernetes"], ["scripted"])
    assert config.notes == ()


def test_a_name_that_is_not_there_is_answered_by_those_that_are_built_in(tmp_path: Path) -> None:
    with pytest.raises(InvalidConfigError) as problem:
        load(tmp_path, "defaults: {llm_provider: x}")
    assert "known here: anthropic-default, " in str(problem.value)
    assert "google-default" in str(problem.value)
