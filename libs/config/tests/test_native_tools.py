"""Native tools of each type of provider: what an agent has of those it should have, and who is told of the rest."""

from pathlib import Path

import pytest

from tarsy_config.loading.load import load_config
from tarsy_contracts.chain import NATIVE_TOOLS
from tarsy_llm.providers import PROVIDER_TYPES

SEARCH: tuple[str, ...] = ("google_search",)
NOTHING: tuple[str, ...] = ()
OF_TYPES: dict[str, list[tuple[str, tuple[str, ...]]]] = {
    "google": [("gemini-3.7-flash", NATIVE_TOOLS)],
    "anthropic": [("claude-sonnet-5", SEARCH)],
    "openai": [("gpt-5-search-api", SEARCH), ("gpt-5.2", NOTHING)],
    "xai": [("grok-4.6", NOTHING)],
    "azure": [("our-gpt-search-api", NOTHING)],
    "vertexai": [("gemini-3-pro-preview", NATIVE_TOOLS), ("claude-sonnet-5@20260101", SEARCH)],
    "bedrock": [("eu.anthropic.claude-sonnet-4-6-v1:0", NOTHING), ("eu.amazon.nova-2-lite-v1:0", NOTHING)],
}
"""Each with a name of a model for which it differs."""
TEXT = """
defaults: {llm_provider: asked}
agents:
  A: {native_tools: {google_search: true, url_context: true, code_execution: true}}
agent_chains: {k: {alert_types: [kubernetes], stages: [{name: s, agents: [{name: A}]}]}}
llm_providers:
  asked: {type: %s, model: "%s", api_key: k, base_url: "https://m.example", project: p, location: l, region: r}
"""
OPTIONS = ("project", "location", "region")


def configured(folder: Path, type: str, model: str) -> Path:
    own = PROVIDER_TYPES[type].options
    text = TEXT % (type, model)
    for option in OPTIONS:
        text = text if option in own else text.replace(f", {option}: {option[0]}", "")
    (folder / "tarsy.yaml").write_text(text, encoding="utf-8")
    return folder


def test_every_type_of_provider_is_in_the_table() -> None:
    assert OF_TYPES.keys() == PROVIDER_TYPES.keys() - {"scripted"}


@pytest.mark.parametrize(
    ("type", "model", "has"), [(type, *row) for type, rows in OF_TYPES.items() for row in rows], ids=str
)
def test_an_agent_has_the_tools_that_its_model_has_and_the_plan_names_the_others(
    tmp_path: Path, type: str, model: str, has: tuple[str, ...]
) -> None:
    config = load_config(configured(tmp_path, type, model), {})
    agent = config.chain_for("kubernetes").stages[0].agents[0]
    lacking = tuple(tool for tool in NATIVE_TOOLS if tool not in has)
    assert (agent.native_tools, agent.lacking_native_tools) == (has, lacking)
    assert [str(note) for note in config.notes] == [
        f"tarsy.yaml:4: agents.A.native_tools.{tool}: has no effect with asked: {model} has no {tool}"
        for tool in lacking
    ]
