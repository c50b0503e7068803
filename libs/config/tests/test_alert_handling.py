"""What becomes of an alert that comes again, in a group, or is over too soon: each key from the most special place."""

from pathlib import Path

import pytest

from tarsy_config.config import Config
from tarsy_config.errors import InvalidConfigError
from tarsy_config.loading.load import load_config
from tarsy_config.sections.alert_handling import AlertSettings

CONFIG = """
defaults: {{alert_type: one{defaults}}}
agents: {{A: {{}}}}
agent_chains:
  one:
    alert_types: [one]
    stages: [{{name: look, agents: [{{name: A, llm_provider: scripted}}]}}]
    {chain}
  other:
    alert_types: [other]
    stages: [{{name: look, agents: [{{name: A, llm_provider: scripted}}]}}]
llm_providers: {{scripted: {{type: scripted, script: none.yaml}}}}
"""


def load(folder: Path, *, defaults: str = "", chain: str = "") -> Config:
    written = f", alerts: {defaults}" if defaults else ""
    (folder / "tarsy.yaml").write_text(CONFIG.format(defaults=written, chain=chain and f"alerts: {chain}"), "utf-8")
    (folder / "none.yaml").touch()
    return load_config(folder, {})


def test_without_a_word_the_same_alert_joins_for_an_hour_and_what_is_over_in_the_queue_ends(tmp_path: Path) -> None:
    config = load(tmp_path)
    assert config.alert_settings("one") == AlertSettings(3600.0, "join", "alert", "cancel")
    assert config.chain_for("one").cancel_resolved


def test_a_chain_goes_before_defaults_key_by_key(tmp_path: Path) -> None:
    config = load(
        tmp_path,
        defaults="{window: 10m, flapping: start, resolved_in_queue: investigate}",
        chain="{window: 12h, grouping: group}",
    )
    assert config.alert_settings("one") == AlertSettings(43200.0, "start", "group", "investigate")
    assert config.alert_settings("other") == AlertSettings(600.0, "start", "alert", "investigate")
    assert not config.chain_for("one").cancel_resolved


@pytest.mark.parametrize("written", ["0", "0s", '"0"'])
def test_a_window_of_nothing_joins_nothing(tmp_path: Path, written: str) -> None:
    assert load(tmp_path, chain=f"{{window: {written}}}").alert_settings("one").window_seconds == 0


@pytest.mark.parametrize(
    "written",
    ["{window: -5m}", "{window: soon}", "{window: false}", "{flapping: maybe}", "{grouping: all}", "{windows: 5m}"],
)
def test_a_mistake_is_reported_with_its_line(tmp_path: Path, written: str) -> None:
    with pytest.raises(InvalidConfigError, match=r"tarsy\.yaml:8"):
        load(tmp_path, chain=written)
