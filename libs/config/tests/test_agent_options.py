"""AGENT_OPTIONS and the classes that are written by hand for the type checker say the same."""

from dataclasses import fields
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from pydantic import BaseModel, TypeAdapter

from tarsy_config.document.key_paths import (
    AGENT,
    AGENT_DEFAULTS,
    CHAIN,
    CHAT,
    DEFAULTS,
    STAGE,
    STAGE_AGENT,
    SUMMARIES,
    SYNTHESIS,
)
from tarsy_config.document.provenance import Found
from tarsy_config.errors import KeyPath
from tarsy_config.loading.load import load_config
from tarsy_config.sections.agent_options import AGENT_OPTIONS, SETTINGS, AgentOptions, AgentSettings
from tarsy_config.sections.chains import Agent, AgentChain, Chat, StageAgent, StageConfig, Synthesis
from tarsy_config.sections.defaults import Defaults
from tarsy_config.sections.fallbacks import ModelChoice
from tarsy_contracts.chain import ResolvedAgent

KEYS = {option.key for option in AGENT_OPTIONS}
SECTIONS: dict[KeyPath, type[BaseModel]] = {
    DEFAULTS: Defaults,
    AGENT_DEFAULTS: ModelChoice,
    AGENT: Agent,
    CHAIN: AgentChain,
    STAGE: StageConfig,
    STAGE_AGENT: StageAgent,
    SYNTHESIS: Synthesis,
    CHAT: Chat,
    **dict.fromkeys(SUMMARIES, ModelChoice),
}
TEXT = """
defaults: {llm_provider: gemini, fallback_providers: [openai]}
mcp_servers: {one: {transport: {type: stdio, command: none}}}
agents:
  A: {mcp_servers: [one], skills: [s], required_skills: [s], custom_instructions: Look., sub_agents: [GeneralWorker]}
agent_chains: {k: {alert_types: [kubernetes], stages: [{name: s, replicas: 2, agents: [{name: A}]}]}}
llm_providers:
  gemini: {type: anthropic, model: m, api_key: k, native_tools: {google_search: true, url_context: true}}
  openai: {type: openai, model: m, api_key: k}
"""


def test_every_setting_is_a_field_of_the_classes_that_the_type_checker_reads() -> None:
    assert AgentOptions.model_fields.keys() | ModelChoice.model_fields.keys() - {"llm_backend"} == KEYS
    assert {field.name for field in fields(AgentSettings)} == {"name", *SETTINGS}


def test_the_plan_has_every_setting() -> None:
    assert ResolvedAgent.model_fields.keys() >= SETTINGS.keys() - {"mcp_servers", "required_skills"} | {"servers"}


@pytest.mark.parametrize("path", SECTIONS, ids=".".join)
def test_a_section_has_the_settings_that_the_table_says(path: KeyPath) -> None:
    """`defaults` has several providers, which no other section may have."""
    own = {"llm_provider"} if path == DEFAULTS else set()
    assert SECTIONS[path].model_fields.keys() & KEYS - own == {o.key for o in AGENT_OPTIONS if path in o.at}


def test_what_the_rules_find_is_of_the_types_that_the_type_checker_reads(tmp_path: Path) -> None:
    (tmp_path / "tarsy.yaml").write_text(TEXT, encoding="utf-8")
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills/s").write_text("---\nname: s\ndescription: d\n---\n", encoding="utf-8")
    agent = load_config(tmp_path, {}).explain("k").stages[0].agents[0]
    hints = get_type_hints(AgentSettings)
    for name, setting in agent.by_name().items():
        found, hint = (setting, hints[name]) if isinstance(setting, Found) else (setting[0], get_args(hints[name])[0])
        assert found.value or name == "action"  # which only an agent that acts has
        TypeAdapter(get_args(hint)[0]).validate_python(found.value, strict=True)
