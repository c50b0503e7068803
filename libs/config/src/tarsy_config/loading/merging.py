"""One configuration of what the files say and what is built in."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from tarsy_config.checks.cross_checks import select_built_in_chains
from tarsy_config.checks.references import PROVIDERS
from tarsy_config.config import Config
from tarsy_config.document.key_paths import find_names
from tarsy_config.document.plain_data import Document
from tarsy_config.document.provenance import sources_of
from tarsy_config.loading.version import version_of
from tarsy_config.plans.chain_settings import settings_of
from tarsy_config.sections import built_in
from tarsy_config.sections.providers import LlmProvider
from tarsy_config.sections.resolution import AS_CONFIGURED
from tarsy_config.sections.servers import McpServerConfig
from tarsy_config.skills.skill_reader import FoundSkills


def merge(
    config: Config,
    documents: Sequence[Document],
    config_dir: Path,
    environ: Mapping[str, str],
    skills: FoundSkills,
) -> Config:
    """`config` as the files say it, without mistakes. Unused built-in entries stay out."""
    requested = {name for document in documents for _, name in find_names(document, PROVIDERS)}
    usual = {name: provider for name, provider in built_in.PROVIDERS.items() if name in requested}
    both = usual | config.llm_providers
    chains = select_built_in_chains(config.router().rules, config.agent_chains.keys(), config.defaults.alert_type)
    whole = config.model_copy(
        update={
            "agent_chains": config.agent_chains | {name: built_in.CHAINS[name] for name in chains},
            "llm_providers": {name: _placed(one, config_dir).with_environment(environ) for name, one in both.items()},
        }
    )
    notes = [note for document in documents for note in sorted(document.notes, key=lambda note: note.line or 0)]
    linked = skills.link_runbooks(config.system.runbooks.allowed_domains)
    version = version_of(documents, linked)
    sources, notes = sources_of(documents), [*notes, *skills.notes]
    whole = whole.with_skills(linked).with_sources(sources, notes, version)
    return whole.model_copy(update={"mcp_servers": _servers(whole, environ) | config.mcp_servers})


def _servers(config: Config, environ: Mapping[str, str]) -> dict[str, McpServerConfig]:
    """The built-in servers that agents of chains use."""
    chains = [settings_of(config, chain_id, AS_CONFIGURED) for chain_id in config.agent_chains]
    agents = [agent for chain in chains for stage in chain.stages for agent in stage.agents]
    used = {name for agent in agents for name in agent.mcp_servers.value}
    return {name: server for name, server in built_in.servers(environ).items() if name in used}


def _placed(provider: LlmProvider, config_dir: Path) -> LlmProvider:
    return provider.model_copy(update={"script": tuple((config_dir / script).resolve() for script in provider.script)})
