"""Plans that are resolved once: the same as those that are resolved for each alert, and of the newest configuration."""

from pathlib import Path

import yaml

from tarsy_config.config import Config
from tarsy_config.loading.load import load_config
from tarsy_config.plans.routing import facts_of
from tarsy_contracts.alert import McpSelection
from tarsy_contracts.chain import ResolvedChain
from tarsy_orchestrator.effects.known_chains import KnownChains
from tarsy_testing.story.story import ALERT


def configuration(folder: Path, *agents: str) -> Config:
    (folder / "script.yaml").write_text("turns: [{agent: A, iteration: 1, text: fine}]", "utf-8")
    stages = [{"name": "look", "agents": [{"name": name, "llm_provider": "scripted"} for name in agents]}]
    config = {
        "agents": {name: {} for name in agents},
        "agent_chains": {"c": {"alert_types": ["one", "two"], "stages": stages}},
        "llm_providers": {"scripted": {"type": "scripted", "script": "script.yaml"}},
        "defaults": {"alert_type": "one"},
    }
    (folder / "tarsy.yaml").write_text(yaml.safe_dump(config), "utf-8")
    return load_config(folder, {})


def test_an_alert_gets_the_plan_that_the_configuration_has_for_its_type(tmp_path: Path) -> None:
    chains, config = KnownChains(), configuration(tmp_path, "A")
    alerts = [ALERT.model_copy(update={"alert_type": kind}) for kind in ("one", "two", "unknown")]
    alerts.append(alerts[0].model_copy(update={"mcp": McpSelection()}))
    alerts.append(alerts[0].model_copy(update={"llm_provider": "other"}))
    for alert in alerts * 2:
        route = config.router().route(facts_of(alert))
        wanted = config.plan_by(route, alert.mcp, alert.llm_provider, alert.labels)
        assert chains.resolve(config, alert) == wanted


def test_a_changed_configuration_is_resolved_anew(tmp_path: Path) -> None:
    chains = KnownChains()
    alert = ALERT.model_copy(update={"alert_type": "one"})

    def agents(config: Config) -> list[str]:
        chain: ResolvedChain = chains.resolve(config, alert)
        return [agent.name for stage in chain.stages for agent in stage.agents]

    assert agents(configuration(tmp_path, "A")) == ["A"]
    assert agents(configuration(tmp_path, "B")) == ["B"]


def test_a_plan_is_resolved_once_for_each_rule(tmp_path: Path) -> None:
    chains, config = KnownChains(), configuration(tmp_path, "A")
    kinds = ("one", "one", "unknown", "unknown", "two")
    plans = [chains.resolve(config, ALERT.model_copy(update={"alert_type": kind})) for kind in kinds]
    assert len({id(plan) for plan in plans}) == 3


def test_the_alert_of_one_cluster_gets_no_tools_of_another(tmp_path: Path) -> None:
    configuration(tmp_path, "A", "B")
    written = yaml.safe_load((tmp_path / "tarsy.yaml").read_text("utf-8"))
    stages = {name: [{"name": "look", "agents": [{"name": name, "llm_provider": "scripted"}]}] for name in "AB"}
    written["agent_chains"] = {
        "us": {"alert_types": ["one"], "match": ["cluster=us-1"], "stages": stages["A"]},
        "rest": {"alert_types": ["one"], "stages": stages["B"]},
    }
    (tmp_path / "tarsy.yaml").write_text(yaml.safe_dump(written, sort_keys=False), "utf-8")
    chains, config = KnownChains(), load_config(tmp_path, {})
    us, eu = (
        ALERT.model_copy(update={"alert_type": "one", "cluster": cluster, "names_no_type": True})
        for cluster in ("us-1", "eu-1")
    )
    plans = [chains.resolve(config, alert) for alert in (us, eu)]
    assert [(plan.chain_id, plan.unmatched) for plan in plans] == [("us", False), ("rest", True)]
    assert plans[0].chosen_by == 'alert type one, cluster="us-1"'
