"""Summary of a configuration without mistakes, in a few lines."""

from collections.abc import Iterator

from tarsy_config.checks.keys import incomplete_providers
from tarsy_config.checks.skills import find_readers
from tarsy_config.config import Config
from tarsy_config.errors import KeyPath
from tarsy_config.sections.providers import LlmProvider
from tarsy_config.sections.servers import McpServerConfig


def summary_of(config: Config) -> Iterator[str]:
    yield "The configuration has no mistakes."
    for chain_id, chain in config.agent_chains.items():
        stages = " → ".join(stage.name for stage in chain.stages)
        yield f"chain {chain_id}{_built_in(config, ('agent_chains', chain_id))}: {stages}"
        yield f"  alert types: {', '.join(map(str, chain.alert_types)) or 'all'}"
        if chain.match is not None:
            yield f"  match: {', '.join(chain.match) or 'every alert'}"
    yield f"default alert type: {config.default_alert_type}"
    for title, names in (("agents", _agents(config)), ("MCP servers", _servers(config))):
        yield f"{title}: {', '.join(names) or 'none'}"
    for name, server in config.mcp_servers.items():
        yield f"  tools of {name} that change something: {_changing(config, server)}"
    for name, readers in find_readers(config, config.plans).items():
        skill = config.skills[name]
        yield f"skill {name} ({skill.file}): {skill.skill.size} bytes, for {len(readers)} agents"
    for name in sorted(config.llm_providers_in_use):
        provider = config.llm_providers[name]
        yield f"provider {name}{_built_in(config, ('llm_providers', name))}: {_what(provider)}, {_key(provider)}"
    for line in _notes(config):
        yield f"note: {line}"


def _agents(config: Config) -> list[str]:
    """Those that run in some chain."""
    stages = [stage for chain_id in config.agent_chains for stage in config.agent_chains[chain_id].stages]
    used = dict.fromkeys(agent.name for stage in stages for agent in stage.agents)
    return [f"{name}{_built_in(config, ('agents', name))}" for name in used]


def _servers(config: Config) -> list[str]:
    return [
        f"{name}{_built_in(config, ('mcp_servers', name))} ({server.transport.type})"
        for name, server in config.mcp_servers.items()
    ]


def _changing(config: Config, server: McpServerConfig) -> str:
    """Those that agents get, and whether their calls wait for a person, whatever a chain adds."""
    if not server.allow:
        return "none" if server.allow is not None else "none, as allow is not set"
    approve = config.approve_of(server)
    waits = "their calls" if approve is True else f"calls of {', '.join(approve)}" if approve else ""
    return ", ".join(server.allow) + (f"; {waits} need approval" if waits else "")


def _what(provider: LlmProvider) -> str:
    return f"{provider.type} {provider.model}".strip()


def _key(provider: LlmProvider) -> str:
    if provider.type == "scripted":
        return "needs no key"
    if provider.api_key is not None:
        return "its key is set"
    if provider.lack is not None:
        return f"its {'key' if provider.lack.what == 'API key' else provider.lack.what} is not set"
    return "by the credentials of its cloud" if provider.cloud else "without a key"


def _built_in(config: Config, path: KeyPath) -> str:
    return " (built-in)" if config.sources.origin(path).kind == "built-in" else ""


def _notes(config: Config) -> Iterator[str]:
    for name, lack in incomplete_providers(config).items():
        origin = config.sources.origin(("llm_providers", name))
        yield f"{origin}: has no {lack.what}; {lack.remedy} in the environment of the orchestrator and the summarizer"
    yield from map(str, config.notes)
