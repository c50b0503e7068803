"""Plans that are resolved once: the same as those that are resolved for each alert, and of the newest configuration."""

from pathlib import Path
from unittest.mock import patch

import yaml

from tarsy_config.config import Config
from tarsy_config.load import load_config
from tarsy_contracts.alert import McpSelection
from tarsy_contracts.chain import ResolvedChain
from tarsy_orchestrator.effects.chain_resolution import resolve_chain
from tarsy_orchestrator.effects.known_chains import KnownChains
from tarsy_story import ALERT


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
        assert chains.resolve(config, alert) == resolve_chain(config, alert)


def test_a_changed_configuration_is_resolved_anew(tmp_path: Path) -> None:
    chains = KnownChains()
    alert = ALERT.model_copy(update={"alert_type": "one"})

    def agents(config: Config) -> list[str]:
        chain: ResolvedChain = chains.resolve(config, alert)
        return [agent.name for stage in chain.stages for agent in stage.agents]

    assert agents(configuration(tmp_path, "A")) == ["A"]
    assert agents(configuration(tmp_path, "B")) == ["B"]


def test_a_plan_is_resolved_once_and_that_of_an_unknown_type_is_not_kept(tmp_path: Path) -> None:
    chains, config = KnownChains(), configuration(tmp_path, "A")
    known, unknown = (ALERT.model_copy(update={"alert_type": kind}) for kind in ("one", "unknown"))
    with patch("tarsy_orchestrator.effects.known_chains.resolve_chain", side_effect=resolve_chain) as resolving:
        for alert in (known, known, unknown, unknown):
            chains.resolve(config, alert)
    assert [call.args[1].alert_type for call in resolving.call_args_list] == ["one", "unknown", "unknown"]
