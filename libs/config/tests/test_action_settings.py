"""`tarsy.yaml` says who acts, what is tried out first, how often, and how one sees whether it helped."""

from pathlib import Path

import pytest

from tarsy_config.errors import InvalidConfigError
from tarsy_config.loading.load import load_config
from tarsy_contracts.actions import VerificationRule
from tarsy_contracts.chain import ResolvedChain

ENVIRON = {"GOOGLE_API_KEY": "x"}
FILE = """
defaults:
  llm_provider: google-default
  actions_per_hour: 3
  {defaults}
mcp_servers:
  cluster:
    transport: {{type: stdio, command: none}}
    allow: [pods_delete]
    dry_run: {{pods_delete: {{dryRun: All, args: [--dry-run=server]}}}}
agents:
  remediator: {{type: action, mcp_servers: [cluster]}}
agent_chains:
  k:
    alert_types: [kubernetes]
    {chain}
    stages:
      - {{name: look, agents: [{{name: KubernetesAgent}}]}}
      - {{name: act, {stage}agents: [{{name: remediator}}]}}
"""


def plan(tmp_path: Path, *, defaults: str = "", chain: str = "", stage: str = "") -> ResolvedChain:
    text = FILE.format(defaults=defaults, chain=chain, stage=stage)
    (tmp_path / "tarsy.yaml").write_text(text, "utf-8")
    (found,) = load_config(tmp_path, ENVIRON).plans
    return found


def test_an_agent_of_type_action_acts_and_another_has_no_such_word(tmp_path: Path) -> None:
    found = plan(tmp_path)
    assert [stage.agents[0].action for stage in found.stages] == ["", "act"]
    assert found.stages[1].agents[0].servers[0].dry_run == {
        "pods_delete": {"dryRun": "All", "args": ["--dry-run=server"]}
    }


@pytest.mark.parametrize(
    "place", [{"defaults": "action: propose"}, {"chain": "action: propose"}, {"stage": "action: propose, "}]
)
def test_it_only_proposes_where_any_place_says_so_and_nothing_nearer_says_otherwise(
    tmp_path: Path, place: dict[str, str]
) -> None:
    assert plan(tmp_path, **place).stages[1].agents[0].action == "propose"
    nearer = {"chain": "action: propose"} | place | {"stage": "action: act, "}
    assert plan(tmp_path, **nearer).stages[1].agents[0].action == "act"


def test_the_amended_report_is_written_where_something_acts_unless_somebody_says_no(tmp_path: Path) -> None:
    written = plan(tmp_path).compose
    assert written is not None
    assert (written.name, written.controller, written.llm_provider) == ("ComposeAgent", "single_shot", "google-default")
    assert plan(tmp_path, defaults="compose: {enabled: false}").compose is None
    assert plan(tmp_path, defaults="compose: {enabled: false}", chain="compose: {enabled: true}").compose is not None


def test_the_limit_of_the_hour_is_that_of_the_chain_or_else_of_all(tmp_path: Path) -> None:
    assert plan(tmp_path).actions_per_hour == 3
    assert plan(tmp_path, chain="actions_per_hour: 0").actions_per_hour == 0


VERIFY = 'verify: {server: cluster, tool: query, arguments: {q: "{query}"}, after: 2m, lacks: [metric]}'


def test_how_one_sees_whether_it_helped_is_a_rule_of_the_plan(tmp_path: Path) -> None:
    rule = VerificationRule(
        server="cluster", tool="query", arguments={"q": "{query}"}, after_seconds=120, lacks=("metric",)
    )
    assert plan(tmp_path, defaults=VERIFY).verify == rule
    assert plan(tmp_path, chain=VERIFY).verify == rule
    assert plan(tmp_path).verify is None


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (VERIFY.replace("cluster", "clutser"), "mcp_servers has no clutser"),
        (VERIFY.replace(", lacks: [metric]", ""), "does not say what shows that it helped"),
        ("actions_per_hour: -1", "actions_per_hour"),
        ("action: maybe", "action"),
    ],
)
def test_a_mistake_is_told_where_it_stands(tmp_path: Path, wrong: str, said: str) -> None:
    with pytest.raises(InvalidConfigError, match=said):
        plan(tmp_path, chain=wrong)
