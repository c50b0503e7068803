"""`tarsy config check` and `tarsy config show`: what is right, what follows, and no secret."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from tarsy_cli.app import cli
from tarsy_config.loading.load import load_config

SECRETS = {
    "KUBE_TOKEN": "planted-in-env",
    "METRICS_TOKEN": "planted-bearer",
    "TEAM": "planted-header",
    "OWN_KEY": "planted-key",
    "OPENAI_API_KEY": "planted-openai",
    "SHOP_GITHUB": "planted-github",
    "HOOK_SECRET": "planted-hook-secret",
    "PHRASE": "planted-phrase",
}
MAIN = """\
defaults:
  llm_provider: own
  fallback_providers: [{provider: openai-default, backend: langchain}, literal]
  runbook: "Say {{.PHRASE}} first."
  memory: {enabled: true}
mcp_servers:
  kubernetes:
    transport:
      type: stdio
      command: kube
      args: ["--token", "planted-argument"]
      env: {TOKEN: "{{.KUBE_TOKEN}}", PLAIN: planted-plain}
    instructions: Ask with {{.PHRASE}}.
  metrics:
    transport:
      type: http
      url: https://metrics.example/planted-path?key=planted-query
      bearer_token: "{{.METRICS_TOKEN}}"
      custom_headers: {X-Team: "{{.TEAM}}", X-Plain: planted-plain-header}
agents:
  A: {mcp_servers: [kubernetes], custom_instructions: "Use {{.PHRASE}}.", max_iterations: 7}
agent_chains:
  one:
    alert_types: [kubernetes, Other]
    mcp_servers: [metrics]
    stages:
      - {name: look, agents: [{name: A, max_iterations: 5}, {name: A}]}
      - {name: verify, replicas: 2, agents: [{name: A, iteration_strategy: react}]}
system: {github: {token_env: SHOP_GITHUB}, slack: {enabled: true, channel: C1}}
notifications:
  other: {type: webhook, url: "https://hooks.example/planted-hook", secret_env: HOOK_SECRET, chains: [one]}
prices: {claude: {input: 3, output: 15}}
"""
PROVIDERS = """\
llm_providers:
  own: {type: openai, model: m, api_key: "{{.OWN_KEY}}", base_url: "https://me:planted-user@models.example/planted"}
  literal: {type: anthropic, model: claude, api_key: planted-literal}
  unset: {type: google, model: gemini, api_key_env: NOT_SET_HERE}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "tarsy.yaml").write_text(MAIN, "utf-8")
    (tmp_path / "llm-providers.yaml").write_text(PROVIDERS, "utf-8")
    return tmp_path


def ran(*arguments: str) -> tuple[int, list[str]]:
    result = CliRunner().invoke(cli, ["config", *arguments])
    return result.exit_code, result.output.splitlines()


def shown(folder: Path) -> dict[str, Any]:
    code, lines = ran("show", str(folder), "--json")
    assert code == 0
    found: dict[str, Any] = json.loads("\n".join(lines))
    return found


def test_a_right_configuration_is_summarised(folder: Path) -> None:
    assert ran("check", str(folder)) == (
        0,
        [
            "The configuration has no mistakes.",
            "chain one: look → verify",
            "  alert types: kubernetes, Other",
            "default alert type: kubernetes",
            "agents: A",
            "MCP servers: kubernetes (stdio), metrics (http)",
            "  tools of kubernetes that change something: none, as allow is not set",
            "  tools of metrics that change something: none, as allow is not set",
            "provider literal: anthropic claude, its key is set",
            "provider openai-default (built-in): openai gpt-5.2, its key is set",
            "provider own: openai m, its key is set",
            "note: tarsy.yaml:3: defaults.fallback_providers[0].backend: has no effect here: "
            "every provider is asked in its own way",
        ],
    )


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"allow": []}, "none"),
        ({"allow": "all"}, "*"),
        ({"allow": ["pods_delete", "rollout_*"]}, "pods_delete, rollout_*"),
        ({"allow": ["pods_delete"], "approve": True}, "pods_delete; their calls need approval"),
        ({"allow": "all", "approve": ["pods_*"]}, "*; calls of pods_* need approval"),
        ({"allow": "all", "approve": False}, "*"),
    ],
)
def test_the_summary_says_what_agents_may_change_and_what_waits_for_a_person(
    folder: Path, keys: dict[str, Any], told: str
) -> None:
    config = yaml.safe_load((folder / "tarsy.yaml").read_text("utf-8"))
    config["mcp_servers"]["kubernetes"] |= keys
    (folder / "tarsy.yaml").write_text(yaml.safe_dump(config), "utf-8")
    _, lines = ran("check", str(folder))
    assert f"  tools of kubernetes that change something: {told}" in lines


@pytest.mark.parametrize("name", ["tarsy.yaml", "llm-providers.yaml"])
def test_a_file_stands_for_its_folder(folder: Path, name: str) -> None:
    assert ran("check", str(folder / name)) == ran("check", str(folder))
    assert ran("show", str(folder / name)) == ran("show", str(folder))


def test_a_file_may_have_another_name(folder: Path) -> None:
    (folder / "tarsy.yaml").rename(folder / "next.yaml")
    code, lines = ran("check", str(folder / "next.yaml"))
    assert (code, lines[-1]) == (
        0,
        "note: next.yaml:3: defaults.fallback_providers[0].backend: has no effect here: "
        "every provider is asked in its own way",
    )


def test_a_key_that_is_not_set_is_no_mistake_but_a_note(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    (folder / "tarsy.yaml").write_text(MAIN.replace("llm_provider: own", "llm_provider: unset"), "utf-8")
    code, lines = ran("check", str(folder))
    assert code == 0
    assert "provider unset: google gemini, its key is not set" in lines
    assert [line for line in lines if "API key" in line] == [
        "note: built-in llm_providers.openai-default: has no API key; "
        "set OPENAI_API_KEY in the environment of the orchestrator and the summarizer",
        "note: llm-providers.yaml:4 llm_providers.unset: has no API key; "
        "set NOT_SET_HERE in the environment of the orchestrator and the summarizer",
    ]
    assert shown(folder)["llm_providers"]["unset"]["api_key"]["value"] == "not set, from NOT_SET_HERE"


@pytest.mark.parametrize("command", ["check", "show"])
def test_every_mistake_is_told_a_line_each(folder: Path, command: str) -> None:
    wrong = MAIN.replace("replicas: 2", "replcas: 2").replace("mcp_servers: [metrics]", "mcp_servers: [metric]")
    (folder / "tarsy.yaml").write_text(wrong, "utf-8")
    assert ran(command, str(folder)) == (
        1,
        [
            "tarsy.yaml:25: agent_chains.one.mcp_servers[0]: mcp_servers has no metric; did you mean metrics?",
            "tarsy.yaml:28: agent_chains.one.stages[1].replcas: unknown key; did you mean replicas?",
        ],
    )


def test_a_folder_without_a_configuration_is_told(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere", tmp_path / "tarsy.yaml"):
        code, lines = ran("check", str(path))
        assert code == 1
        assert lines[0].startswith("tarsy.yaml: cannot be read (No such file or directory); expected at ")


def test_every_setting_is_shown_with_where_it_comes_from(folder: Path) -> None:
    chain = shown(folder)["chains"]["one"]
    first, second = chain["stages"][0]["agents"]
    path = "agent_chains.one.stages[0].agents[0].max_iterations"
    assert first["max_iterations"] == {"value": 5, "from": f"tarsy.yaml:27 {path}"}
    assert second["max_iterations"] == {"value": 7, "from": "tarsy.yaml:21 agents.A.max_iterations"}
    assert first["mcp_servers"] == {"value": ["metrics"], "from": "tarsy.yaml:25 agent_chains.one.mcp_servers"}
    assert first["llm_provider"] == {"value": "own", "from": "tarsy.yaml:2 defaults.llm_provider"}
    assert first["controller"] == {"value": "function_calling", "from": "default"}
    assert chain["stages"][1]["agents"][1]["name"] == "A-2"
    assert chain["stages"][1]["agents"][1]["controller"]["value"] == "react"
    synthesis = chain["stages"][0]["synthesis"]
    assert synthesis["custom_instructions"]["from"] == "built-in agents.SynthesisAgent.custom_instructions"
    assert chain["executive_summary"]["name"] == "ExecSummaryAgent"
    assert shown(folder)["limits"]["iteration"] == {"value": 360.0, "from": "default"}


def test_sub_agents_and_their_limits_are_shown_as_they_are_written(folder: Path) -> None:
    sends = "    sub_agents: [B, {name: A, max_iterations: 2}]\n    orchestrator: {max_depth: 2, agent_timeout: 5m}\n"
    text = MAIN.replace("    stages:", f"{sends}    stages:", 1)
    (folder / "tarsy.yaml").write_text(text.replace("  A: {mcp", "  B: {description: looks}\n  A: {mcp", 1), "utf-8")
    chain = shown(folder)["chains"]["one"]
    key = "A (agent_chains.one.sub_agents[1])"
    assert chain["stages"][0]["agents"][0]["sub_agents"]["value"] == ["B", key]
    assert chain["sub_agents"].keys() == {"B", key}
    assert chain["sub_agents"][key]["max_iterations"]["value"] == 2
    code, lines = ran("show", str(folder))
    assert code == 0
    limits = "max_concurrent_agents: 5, agent_timeout: 300, max_budget: 0, max_agents: 20, max_depth: 2"
    assert any(line.strip().startswith(f"sub_agent_limits: {limits}") for line in lines)


def test_the_lines_for_people_say_the_same(folder: Path) -> None:
    code, lines = ran("show", str(folder))
    assert code == 0
    path = "agent_chains.one.stages[0].agents[0].max_iterations"
    assert f"            max_iterations: 5    (tarsy.yaml:27 {path})" in lines
    assert "      url: https://metrics.example    (tarsy.yaml:17 mcp_servers.metrics.transport.url)" in lines


def test_of_secrets_only_whether_they_are_set_and_their_variable_is_shown(folder: Path) -> None:
    found = shown(folder)
    transport = found["mcp_servers"]["metrics"]["transport"]
    assert transport["bearer_token"]["value"] == "set, from METRICS_TOKEN"
    assert {name: header["value"] for name, header in transport["headers"].items()} == {
        "X-Team": "set, from TEAM",
        "X-Plain": "set",
    }
    env = found["mcp_servers"]["kubernetes"]["transport"]["env"]
    assert {name: value["value"] for name, value in env.items()} == {"TOKEN": "set, from KUBE_TOKEN", "PLAIN": "set"}
    assert found["mcp_servers"]["kubernetes"]["instructions"]["value"] == "set, from PHRASE"
    providers = found["llm_providers"]
    assert providers["own"]["api_key"]["value"] == "set, from OWN_KEY"
    assert providers["own"]["base_url"]["value"] == "https://models.example"
    assert providers["literal"]["api_key"]["value"] == "set"
    assert providers["openai-default"]["api_key"]["value"] == "set, from OPENAI_API_KEY"
    assert found["system"]["github_token"]["value"] == "set, from SHOP_GITHUB"
    assert found["chains"]["one"]["default_runbook"]["value"] == "set, from PHRASE"
    assert found["prices"]["claude"]["output"] == {"value": 15.0, "from": "tarsy.yaml:32 prices.claude.output"}
    receivers = found["notifications"]
    assert receivers["other"]["url"]["value"] == "https://hooks.example"
    assert receivers["other"]["secret"]["value"] == "set, from HOOK_SECRET"
    assert receivers["slack"]["token"]["value"] == "not set, from SLACK_BOT_TOKEN"
    assert receivers["slack"]["channel"] == {"value": "C1", "from": "tarsy.yaml:29 system.slack.channel"}


def test_no_secret_is_in_any_output(folder: Path) -> None:
    config = load_config(folder, SECRETS)
    outputs = [ran("show", str(folder)), ran("show", str(folder), "--json"), ran("check", str(folder))]
    (folder / "tarsy.yaml").write_text(MAIN.replace("command: kube", "comand: kube"), "utf-8")
    outputs.append(ran("check", str(folder)))
    assert [code for code, _ in outputs] == [0, 0, 0, 1]
    for _, lines in outputs:
        assert "planted" not in "\n".join(lines)
    assert "planted-literal" not in repr(config)
    for secret in SECRETS.values():
        assert secret == SECRETS["PHRASE"] or secret not in repr(config)


def test_show_takes_the_folder_that_tarsy_up_takes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.rename(folder.parent / "config")
    monkeypatch.chdir(folder.parent)
    assert ran("show")[1] == ran("show", "config")[1]
    assert ran("show")[0] == 0
