"""Configuration, as the API shows it: what an alert may name, and the whole of it without secrets."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from tarsy_config.chain_agents import chain_agents
from tarsy_config.config import Config
from tarsy_config.shown_origins import describe_origins
from tarsy_config.shown_settings import show_agents, show_entries, show_section, show_skills
from tarsy_contracts.api.configuration import (
    AlertTypeList,
    DefaultNativeTools,
    DefaultTools,
    EffectiveConfiguration,
    LinkTemplate,
    OfferedAlertType,
    SkillText,
)
from tarsy_contracts.budgets import ConfiguredBudgets
from tarsy_contracts.chain import ResolvedAgent, ResolvedChain
from tarsy_contracts.prices import ModelPrices


@dataclass(frozen=True, slots=True)
class Offered:
    """Made once for each configuration: masking all its texts takes a while."""

    alert_types: AlertTypeList
    default_tools: dict[str, DefaultTools]
    configuration: EffectiveConfiguration
    prices: ModelPrices
    budgets: ConfiguredBudgets
    skills: dict[str, SkillText]
    links: tuple[LinkTemplate, ...] = ()


def describe_offer(config: Config, mask: Callable[[str], str]) -> Offered:
    config = config.with_masked_skills(mask)
    return Offered(
        alert_types=_alert_types(config, mask),
        default_tools={kind: _default_tools(kind, config.chain_for(kind)) for kind in config.alert_types()},
        configuration=_configuration(config, mask),
        prices=config.model_prices,
        budgets=_budgets(config),
        skills={
            skill.name: SkillText(name=skill.name, description=skill.description, body=skill.body)
            for skill in config.skill_texts
        },
        links=tuple(
            LinkTemplate(name=name, url=link.url, before_seconds=link.before, after_seconds=link.after)
            for name, link in config.links.items()
        ),
    )


def _alert_types(config: Config, mask: Callable[[str], str]) -> AlertTypeList:
    chains = config.alert_types()
    rows = sorted((chain_id, kind) for kind, chain_id in chains.items())
    return AlertTypeList(
        alert_types=tuple(
            OfferedAlertType(type=kind, chain_id=chain_id, description=mask(config.agent_chains[chain_id].description))
            for chain_id, kind in rows
        ),
        default_chain_id=config.router().default_chain_id,
        default_alert_type=config.default_alert_type,
    )


def _budgets(config: Config) -> ConfiguredBudgets:
    sessions = {"": config.defaults.budget} | {id: chain.budget for id, chain in config.agent_chains.items()}
    return ConfiguredBudgets(
        days=config.system.budgets.list_all(),
        sessions={name: one.to_budget() for name, one in sessions.items() if one is not None},
    )


def _default_tools(kind: str, chain: ResolvedChain) -> DefaultTools:
    agents = list(_investigators(chain))
    native = {tool for agent in agents for tool in agent.native_tools}
    return DefaultTools(
        alert_type=kind,
        mcp_servers=tuple(dict.fromkeys(server.server for agent in agents for server in agent.servers)),
        native_tools=DefaultNativeTools(
            google_search="google_search" in native,
            code_execution="code_execution" in native,
            url_context="url_context" in native,
        ),
    )


def _investigators(chain: ResolvedChain) -> Iterator[ResolvedAgent]:
    for stage in chain.stages:
        yield from stage.agents


def _configuration(config: Config, mask: Callable[[str], str]) -> EffectiveConfiguration:
    shown: dict[str, JsonValue] = {
        "version": config.version,
        "defaults": show_section(config, ("defaults",), config.defaults),
        "limits": show_section(config, ("limits",), config.limits),
        "queue": show_section(config, ("queue",), config.queue),
        "system": show_section(config, ("system",), config.system),
        "agents": {**show_agents(config)},
        "chains": {**show_entries(config, "agent_chains", config.agent_chains)},
        "mcp_servers": {**show_entries(config, "mcp_servers", config.mcp_servers)},
        "llm_providers": {**show_entries(config, "llm_providers", config.llm_providers)},
        "notifications": {**show_entries(config, "notifications", config.receivers)},
        "alert_doors": {**show_entries(config, "alert_doors", config.alert_doors)},
        "prices": {**show_entries(config, "prices", config.prices)},
        "links": {**show_entries(config, "links", config.links)},
        "skills": {**show_skills(config)},
        "chain_agents": [agent.model_dump(mode="json") for agent in chain_agents(config)],
    }
    notes: list[JsonValue] = [str(note) for note in config.notes]
    masked = _masked({**shown, "origins": {**describe_origins(config, shown)}, "notes": notes}, mask)
    return EffectiveConfiguration.model_validate(masked)


def _masked(value: JsonValue, mask: Callable[[str], str]) -> JsonValue:
    """Each text by itself: what is known to be a secret is left out already, and what stays is what somebody wrote."""
    match value:
        case str():
            return mask(value)
        case list():
            return [_masked(item, mask) for item in value]
        case dict():
            return {key: _masked(item, mask) for key, item in value.items()}
        case _:
            return value
