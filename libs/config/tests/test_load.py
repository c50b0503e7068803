"""A configuration is read whole: it is right, or every mistake is told with its line and what would be right."""

from pathlib import Path

import pytest

from tarsy_config.config import Config
from tarsy_config.load import load_config
from tarsy_config.mistakes import ConfigInvalid

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

WRONG = """\
defaults:
  llm_provder: scripted
  max_iterations: many
  alert_type: kuberntes
mcp_servers:
  kube__x:
    transport: {type: sse, url: "http://x"}
  db:
    transport:
      type: stdio
      command: [a]
      env: {PW: "{{.PW}}", PORT: 5432}
      timeout: 5 minutes
    summarization: {size_threshold_tokens: 5}
agents:
  A:
    mcp_servers: [bd, db]
    mcp_server: x
  A: {}
agent_chains:
  k:
    alert_types: [kubernetes, kubernetes]
    stages:
      - name: a
        agents: [{name: B}, {name: A, llm_provider: scrpted}]
      - nme: x
        agents: []
queue:
  worker_count: {{.WORKERS}}
"""
WRONG_PROVIDERS = """\
llm_providers:
  scripted: {type: scripted, script: nowhere.yaml, pace: 1}
  cloud: {type: vertexai, model: gemini-2.5-pro}
"""


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
    with pytest.raises(ConfigInvalid) as caught:
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


def test_every_mistake_is_told_with_its_line_and_what_would_be_right(folder: Path) -> None:
    with_main(folder, WRONG)
    (folder / "llm-providers.yaml").write_text(WRONG_PROVIDERS, encoding="utf-8")
    assert mistakes(folder) == [
        "tarsy.yaml:2: defaults.llm_provder: unknown key; did you mean llm_provider?",
        "tarsy.yaml:3: defaults.max_iterations: is not accepted; "
        "it should be a valid integer, unable to parse string as an integer",
        "tarsy.yaml:4: defaults.alert_type: no chain names the default alert type kuberntes; did you mean kubernetes?",
        "tarsy.yaml:6: mcp_servers.kube__x: cannot name a server; "
        "use letters and digits, with single - or _ between them",
        "tarsy.yaml:7: mcp_servers.kube__x.transport.type: the transport sse comes with a later version; "
        "use http or stdio",
        "tarsy.yaml:11: mcp_servers.db.transport.command: is not text; write the value in quotes",
        "tarsy.yaml:12: mcp_servers.db.transport.env.PW: the environment variable PW is not set; "
        "set PW, or write the value itself",
        "tarsy.yaml:12: mcp_servers.db.transport.env.PORT: is not text; write the value in quotes",
        "tarsy.yaml:13: mcp_servers.db.transport.timeout: is not a duration; "
        'write seconds, or such as "60s", "5m", "1m30s"',
        "tarsy.yaml:14: mcp_servers.db.summarization.size_threshold_tokens: is not accepted; "
        "it should be greater than or equal to 100",
        "tarsy.yaml:19: agents.A: stands here a second time (first in line 16); keep one of them",
        "tarsy.yaml:22: agent_chains.k.alert_types[1]: the alert type kubernetes belongs to the chain k already; "
        "keep one of them",
        "tarsy.yaml:25: agent_chains.k.stages[0].agents: more than one agent comes with a later version; "
        "keep one agent",
        "tarsy.yaml:25: agent_chains.k.stages[0].agents[0].name: agents has no B; known here: A",
        "tarsy.yaml:25: agent_chains.k.stages[0].agents[1].llm_provider: llm_providers has no scrpted; "
        "did you mean scripted?",
        "tarsy.yaml:25: agent_chains.k.stages[0].agents[0]: has no llm_provider; "
        "name one here, or in defaults.llm_provider",
        "tarsy.yaml:26: agent_chains.k.stages[1].name: is missing; add it",
        "tarsy.yaml:26: agent_chains.k.stages[1].nme: unknown key; did you mean name?",
        "tarsy.yaml:27: agent_chains.k.stages[1].agents: has no agent; name one agent",
        "tarsy.yaml:28: queue: unknown key; "
        "known here: agent_chains, agents, defaults, limits, llm_providers, mcp_servers",
        'tarsy.yaml:29: queue.worker_count: has a key that is not a name; templates are written in quotes: "{{.NAME}}"',
        "llm-providers.yaml:2: llm_providers.scripted.pace: unknown key; "
        "known here: api_key, api_key_env, base_url, max_output_tokens, model, pace_seconds, script, thinking, type",
        "llm-providers.yaml:2: llm_providers.scripted.script: there is no file nowhere.yaml; "
        "script is a path from the folder of llm-providers.yaml",
        "llm-providers.yaml:3: llm_providers.cloud.type: the provider type vertexai comes with a later version; "
        "use google with an API key",
    ]


def test_more_than_one_stage_comes_later(folder: Path) -> None:
    second = "      - name: second\n        agents: [{name: KubernetesAgent}]\nlimits:"
    assert mistakes(with_main(folder, GOOD.replace("limits:", second))) == [
        "tarsy.yaml:24: agent_chains.kubernetes.stages: more than one stage comes with a later version; keep one stage"
    ]


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


def test_without_any_chain_the_default_alert_type_has_none(folder: Path) -> None:
    assert mistakes(with_main(folder, "")) == [
        "tarsy.yaml:1: agent_chains: no chain names the default alert type kubernetes; none is defined"
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
