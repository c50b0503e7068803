"""A configuration is read whole: it is right, or every mistake is told with its line and what would be right."""

from pathlib import Path

import pytest

from tarsy_config.config import Config
from tarsy_config.errors import InvalidConfigError
from tarsy_config.loading.load import load_config

GOOD = """\
defaults:
  llm_provider: scripted
  max_iterations: 12
mcp_servers:
  kubernetes:
    transport:
      type: stdio
      command: python
      args: ["-m", "tarsy_lab", "{{.INCIDENT}}"]
      env: {TOKEN: "{{.KUBE_TOKEN}}"}
      timeout: 30
    instructions: Prefer namespaced queries.
    summarization: {size_threshold_tokens: 3000}
    repeatable_tools: [pods_log]
agents:
  KubernetesAgent:
    description: Looks into Kubernetes.
    mcp_servers: [kubernetes]
    custom_instructions: Be brief.
agent_chains:
  kubernetes:
    alert_types: [kubernetes, KubePodCrashLooping]
    description: One look.
    stages:
      - name: investigation
        agents: [{name: KubernetesAgent}]
limits: {llm_call: 2m, tool_call: 90s, summary: 1m30s}
"""
PROVIDERS = "llm_providers:\n  scripted: {type: scripted, script: scripts/demo.yaml, pace_seconds: 0.05}\n"
ENVIRON = {"INCIDENT": "examples/incidents/crash-loop", "KUBE_TOKEN": "hunter2"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tarsy.yaml").write_text(GOOD, encoding="utf-8")
    (tmp_path / "llm-providers.yaml").write_text(PROVIDERS, encoding="utf-8")
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts/demo.yaml").touch()
    return tmp_path


def with_main(folder: Path, text: str) -> Path:
    (folder / "tarsy.yaml").write_text(text, encoding="utf-8")
    return folder


def mistakes(folder: Path) -> list[str]:
    with pytest.raises(InvalidConfigError) as caught:
        load_config(folder, ENVIRON)
    return str(caught.value).splitlines()


def test_a_good_configuration_loads(folder: Path) -> None:
    config = load_config(folder, ENVIRON)
    server = config.mcp_servers["kubernetes"]
    assert server.transport.args == ("-m", "tarsy_lab", "examples/incidents/crash-loop")
    assert server.transport.env["TOKEN"].get_secret_value() == "hunter2"
    assert server.transport.timeout == 30.0
    assert server.repeatable_tools == ("pods_log",)
    assert (server.max_concurrent_calls, server.queue_size) == (4, 16)
    assert config.default_alert_type == "kubernetes"
    assert config.alert_types() == {"kubernetes": "kubernetes", "KubePodCrashLooping": "kubernetes"}


def test_a_script_is_found_from_the_folder_of_its_file(folder: Path) -> None:
    assert load_config(folder, ENVIRON).llm_providers["scripted"].script == (folder / "scripts/demo.yaml",)


def test_providers_may_stand_in_the_main_file(folder: Path) -> None:
    (folder / "llm-providers.yaml").unlink()
    assert list(load_config(with_main(folder, GOOD + PROVIDERS), ENVIRON).llm_providers) == ["scripted"]


def test_the_misspelt_name_of_a_server_gets_the_nearest_one(folder: Path) -> None:
    wrong = GOOD.replace("mcp_servers: [kubernetes]", "mcp_servers: [kubernets]")
    assert mistakes(with_main(folder, wrong)) == [
        "tarsy.yaml:18: agents.KubernetesAgent.mcp_servers[0]: mcp_servers has no kubernets; did you mean kubernetes?"
    ]


def test_an_alert_type_belongs_to_one_chain(folder: Path) -> None:
    second = (
        "  other:\n    alert_types: [KubePodCrashLooping]\n"
        "    stages: [{name: s, agents: [{name: KubernetesAgent}]}]\nlimits:"
    )
    (mistake,) = mistakes(with_main(folder, GOOD.replace("limits:", second)))
    assert "the alert type KubePodCrashLooping belongs to the chain kubernetes already" in mistake


def test_without_any_chain_the_default_alert_type_has_the_built_in_one_which_wants_a_provider(folder: Path) -> None:
    assert mistakes(with_main(folder, "")) == [
        "tarsy.yaml:1: defaults.llm_provider: is missing, and the built-in chain kubernetes needs it; "
        "name a provider, such as google-default"
    ]


def test_without_any_chain_another_default_alert_type_has_none(folder: Path) -> None:
    assert mistakes(with_main(folder, "defaults: {alert_type: network}")) == [
        "tarsy.yaml:1: defaults.alert_type: no chain names the default alert type network; none is defined"
    ]


def test_a_provider_that_both_files_define_is_told(folder: Path) -> None:
    (mistake,) = mistakes(with_main(folder, GOOD + PROVIDERS))
    assert mistake.startswith("llm-providers.yaml:2: llm_providers.scripted: is defined in tarsy.yaml already")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("agents: [\n", "tarsy.yaml:2: is not YAML"),
        ("- a\n- b\n", "tarsy.yaml:1: is not a section"),
        ("agents: &a {x: *a}\n", "tarsy.yaml:1: agents.x.x: is nested too deeply"),
        ("agents: []\n", "tarsy.yaml:1: agents: is not a section"),
        ("agents: \x00\n", "tarsy.yaml: holds characters that YAML forbids"),
        ("limits: {tool_call: 0s}\n", "tarsy.yaml:1: limits.tool_call: is not a duration"),
    ],
)
def test_what_is_no_configuration_at_all_is_told_as_such(folder: Path, text: str, told: str) -> None:
    assert any(mistake.startswith(told) for mistake in mistakes(with_main(folder, text)))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert mistakes(tmp_path) == [
        f"tarsy.yaml: cannot be read (No such file or directory); expected at {tmp_path / 'tarsy.yaml'}"
    ]


def test_merge_keys_and_aliases_work(folder: Path) -> None:
    merged = GOOD.replace("  KubernetesAgent:", "  Base: &base {max_iterations: 3}\n  KubernetesAgent:\n    <<: *base")
    assert load_config(with_main(folder, merged), ENVIRON).agents["KubernetesAgent"].max_iterations == 3


def test_secrets_are_in_no_repr(folder: Path) -> None:
    with_args = GOOD.replace("{{.INCIDENT}}", "{{.KUBE_TOKEN}}")
    config: Config = load_config(with_main(folder, with_args), ENVIRON)
    assert "hunter2" in config.mcp_servers["kubernetes"].transport.args
    assert "hunter2" not in repr(config)
    assert "hunter2" not in str(config.mcp_servers)


def test_no_value_is_repeated_in_a_mistake(folder: Path) -> None:
    wrong = GOOD.replace("timeout: 30", 'timeout: "{{.KUBE_TOKEN}}"').replace("python", "[{{.KUBE_TOKEN}}]")
    assert "hunter2" not in "\n".join(mistakes(with_main(folder, wrong)))


@pytest.mark.parametrize("nothing", ["defaults: {llm_provider: []}", "defaults: {}"])
def test_an_agent_whose_provider_is_empty_has_none(folder: Path, nothing: str) -> None:
    text = GOOD.replace("defaults:\n  llm_provider: scripted\n  max_iterations: 12", nothing)
    text = text.replace("{name: KubernetesAgent}", "{name: KubernetesAgent, llm_provider: null}")
    assert mistakes(with_main(folder, text)) == [
        "tarsy.yaml:24: agent_chains.kubernetes.stages[0].agents[0]: has no llm_provider; "
        "name one here, or in defaults.llm_provider"
    ]


def test_a_configuration_made_without_files_resolves_with_the_built_in_agents() -> None:
    agent = {"name": "A", "llm_provider": "scripted"}
    config = Config.model_validate(
        {
            "agents": {"A": {}},
            "agent_chains": {"c": {"alert_types": ["k"], "stages": [{"name": "s", "agents": [agent, agent]}]}},
            "llm_providers": {"scripted": {"type": "scripted", "script": "none.yaml"}},
        }
    )
    chain = config.chain_for("k")
    assert [agent.name for agent in chain.agents()] == ["A", "A", "SynthesisAgent", "ExecSummaryAgent", "ChatAgent"]
    assert chain.llm_providers == {"scripted"}
