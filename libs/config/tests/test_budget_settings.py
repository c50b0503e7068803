"""Budgets of agents, sessions and days: where each is written, and which plan it comes to."""

from pathlib import Path

import pytest

from tarsy_config.config import Config
from tarsy_config.errors import InvalidConfigError
from tarsy_config.loading.load import load_config
from tarsy_config.plans.routing import ChainRoute
from tarsy_contracts.budgets import Budget, DayBudget
from tarsy_contracts.chain import ResolvedChain

WRITTEN = """\
agents: {A: {budget: {calls: 9}}, B: {}}
agent_chains:
  k:
    alert_types: [kubernetes]
    sub_agents: [{name: B, budget: {tokens: 7, at_end: stop}}]
    stages: [{name: a, agents: [{name: A}, {name: A, budget: {time: 2m}}, {name: B}]}]
  own: {alert_types: [other], budget: {money: 1.5, soft: 60%}, stages: [{name: a, agents: [{name: B}]}]}
llm_providers: {s: {type: scripted, script: s.yaml}}
defaults: {llm_provider: s, budget: {tokens: 1000, at_end: ask}}
system:
  budgets: {time_zone: Europe/Berlin, day: {money: 50}, chains: {k: {calls: 5}}, teams: {pay: {tokens: 3}}}
"""


def load(folder: Path, text: str = WRITTEN) -> Config:
    (folder / "s.yaml").write_text("[]", "utf-8")
    (folder / "tarsy.yaml").write_text(text, "utf-8")
    return load_config(folder, {})


def planned(config: Config, chain: str = "k", **labels: str) -> ResolvedChain:
    return config.plan_by(ChainRoute(chain, ""), labels=labels)


def test_a_session_has_the_budget_of_its_chain_or_of_defaults_and_an_agent_its_own(tmp_path: Path) -> None:
    config = load(tmp_path)
    plan = planned(config)
    assert plan.budget == Budget(tokens=1000, at_end="ask")
    assert planned(config, "own").budget == Budget(money=1.5, soft_percent=60)
    assert [one.budget for one in plan.stages[0].agents] == [Budget(calls=9), Budget(seconds=120), Budget()]
    assert [one.budget for one in plan.sub_agents.values()] == [Budget(tokens=7, at_end="stop")]


def test_a_session_counts_to_the_budgets_of_its_day_its_chain_and_its_team(tmp_path: Path) -> None:
    config = load(tmp_path)
    plan = planned(config, team="pay")
    assert plan.day_budgets.time_zone == "Europe/Berlin"
    assert plan.day_budgets.budgets == (
        DayBudget(scope="day", budget=Budget(money=50)),
        DayBudget(scope="chain/k", budget=Budget(calls=5)),
        DayBudget(scope="team/pay", budget=Budget(tokens=3)),
    )
    assert [one.scope for one in planned(config, "own", team="other").day_budgets.budgets] == ["day"]


@pytest.mark.parametrize(
    "wrong", ["{tokens: 0}", "{money: -1}", "{soft: 0%}", "{soft: much}", "{at_end: die}", "{time: soon}", "{words: 3}"]
)
def test_a_budget_that_makes_no_sense_is_a_mistake_with_its_line(tmp_path: Path, wrong: str) -> None:
    with pytest.raises(InvalidConfigError, match=r"tarsy.yaml:1: agents.A.budget"):
        load(tmp_path, WRITTEN.replace("{calls: 9}", wrong))


def test_a_time_zone_that_nobody_knows_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(InvalidConfigError, match=r"system\.budgets\.time_zone"):
        load(tmp_path, WRITTEN.replace("Europe/Berlin", "Europe/Nowhere"))
