"""Agents of all chains, with the MCP servers that each uses."""

from collections.abc import Iterator

from tarsy_config.config import Config
from tarsy_config.plans.chain_settings import ChainSettings
from tarsy_config.sections.agent_options import AgentSettings
from tarsy_contracts.api.configuration import ChainAgent


def chain_agents(config: Config) -> tuple[ChainAgent, ...]:
    """Those that use MCP servers, in the order in which they run."""
    return tuple(
        ChainAgent(chain_id=chain_id, stage=stage, agent=agent.name, mcp_servers=agent.mcp_servers.value)
        for chain_id in config.agent_chains
        for stage, agent in _agents_by_stage(config.explain(chain_id))
        if agent.mcp_servers.value
    )


def _agents_by_stage(chain: ChainSettings) -> Iterator[tuple[str, AgentSettings]]:
    for stage in chain.stages:
        yield from ((stage.name, agent) for agent in stage.agents)
