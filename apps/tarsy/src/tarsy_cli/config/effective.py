"""The effective configuration: what `tarsy config show` shows, as plain data.

Built from named keys only: what is not named here is not shown.
"""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from tarsy_cli.config.external import provider_tree, receiver_tree, server_tree
from tarsy_cli.config.leaves import Tree, leaf, leaf_of, leaf_without_secret, of_environment, section, text
from tarsy_config.config import Config
from tarsy_config.document.provenance import DEFAULT
from tarsy_config.plans.chain_settings import StageSettings
from tarsy_config.sections.agent_options import SETTINGS, AgentSettings
from tarsy_config.sections.resolution import Setting
from tarsy_config.sections.sub_agents import LIMITS
from tarsy_contracts.api.agent_tools import AgentTools
from tarsy_contracts.chain import SubAgentLimits


def effective(config: Config, environ: Mapping[str, str]) -> Tree:
    return {
        "default_alert_type": leaf(
            config.default_alert_type, config.sources.origin_or_default(("defaults", "alert_type"))
        ),
        "chains": {chain_id: _chain(config, chain_id) for chain_id in config.agent_chains},
        "mcp_servers": {name: server_tree(config, name) for name in config.mcp_servers},
        "llm_providers": {name: provider_tree(config, name) for name in config.llm_providers},
        "notifications": {name: receiver_tree(config, name, environ) for name in config.receivers},
        "alert_masking": section(config, ("defaults", "alert_masking"), config.defaults.alert_masking),
        "limits": section(config, ("limits",), config.limits),
        "queue": section(config, ("queue",), config.queue),
        "system": _system(config, environ),
        "prices": {name: section(config, ("prices", name), price) for name, price in config.prices.items()},
        "alert_doors": {
            name: section(config, ("alert_doors", name), door) for name, door in config.alert_doors.items()
        },
        "notes": [str(note) for note in config.notes],
    }


def agent_tools_tree(found: Sequence[AgentTools]) -> list[JsonValue]:
    """Tools of each agent, and those that were left out, with the line that changes it."""
    return [
        {
            "agent": f"{one.agent.chain_id} / {one.agent.stage} / {one.agent.agent}",
            "tools": {server: list(tools) for server, tools in one.offered.items()},
            "left_out": [*one.sentences],
        }
        for one in found
    ]


def _chain(config: Config, chain_id: str) -> Tree:
    chain = config.explain(chain_id)
    return {
        "defined": str(chain.defined),
        "alert_types": list(chain.alert_types),
        "match": _match(config, chain_id),
        "stages": [_stage(config, stage) for stage in chain.stages],
        "executive_summary": _agent(config, chain.executive_summary),
        "memory": {"enabled": chain.memory_enabled, **_agent(config, chain.reflector)},
        "compose": {"enabled": chain.compose_enabled, **_agent(config, chain.compose)},
        "scoring": {
            "enabled": chain.scoring_enabled,
            "rate": leaf_of(chain.scoring_rate),
            **_agent(config, chain.scoring),
        },
        "chat": {"enabled": chain.chat_enabled, **_agent(config, chain.chat)},
        "sub_agents": {key: _agent(config, agent) for key, agent in chain.sub_agents.items()},
        "summary_llm_provider": leaf(
            chain.summary_llm_provider.value or "whoever the agent asks", chain.summary_llm_provider.origin
        ),
        **({} if chain.summary_fallbacks is None else {"summary_fallbacks": leaf_of(chain.summary_fallbacks)}),
        "default_runbook": text(config, chain.default_runbook),
        "alerts": _alerts(config, chain_id),
    }


def _match(config: Config, chain_id: str) -> JsonValue:
    """None for a chain that is chosen by alert types alone."""
    matchers = config.agent_chains[chain_id].match
    return (
        None
        if matchers is None
        else leaf_without_secret(
            config, matchers, config.sources.origin_or_default(("agent_chains", chain_id, "match"))
        )
    )


def _alerts(config: Config, chain_id: str) -> Tree:
    """Each from the chain, or else from `defaults`."""
    settings = config.alert_settings(chain_id)
    paths = [("agent_chains", chain_id, "alerts"), ("defaults", "alerts")]
    values: dict[str, JsonValue] = {
        "window": settings.window_seconds,
        "flapping": settings.flapping,
        "grouping": settings.grouping,
        "resolved_in_queue": settings.resolved_in_queue,
    }
    return {
        key: leaf(
            value, next((o for p in paths if (o := config.sources.origin_or_default((*p, key))) != DEFAULT), DEFAULT)
        )
        for key, value in values.items()
    }


def _stage(config: Config, stage: StageSettings) -> Tree:
    tree: Tree = {
        "name": stage.name,
        "replicas": stage.replicas,
        "success_policy": leaf_of(stage.success_policy),
        "agents": [_agent(config, agent) for agent in stage.agents],
    }
    if stage.synthesis is not None:
        tree["synthesis"] = _agent(config, stage.synthesis)
    return tree


def _agent(config: Config, agent: AgentSettings) -> Tree:
    """Only an agent that lacks tools of its provider has a line for them."""
    found = {name: setting for name, setting in agent.by_name().items() if setting or name != "lacking_native_tools"}
    return {"name": agent.name, **{name: _setting(config, name, setting) for name, setting in found.items()}}


def _setting(config: Config, name: str, setting: Setting) -> JsonValue:
    if isinstance(setting, tuple):
        return [leaf_of(each) for each in setting]
    if isinstance(setting.value, SubAgentLimits):
        return leaf({key: getattr(setting.value, field) for key, field in LIMITS.items()}, setting.origin)
    return text(config, setting) if SETTINGS[name].free_text else leaf_of(setting)


def _system(config: Config, environ: Mapping[str, str]) -> Tree:
    github = config.system.github.token_env
    origin = config.sources.origin_or_default(("system", "github", "token_env"))
    return {
        "github_token": of_environment(github, environ, origin),
        "runbooks": section(config, ("system", "runbooks"), config.system.runbooks),
    }
