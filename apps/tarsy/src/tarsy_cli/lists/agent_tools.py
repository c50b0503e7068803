"""Tools of each agent in a terminal: what it has, what was left out, and the line that changes it."""

from collections.abc import Iterator, Sequence

from pydantic import ValidationError

from tarsy_cli.api import ApiError, get
from tarsy_cli.console.units import format_count
from tarsy_contracts.api.agent_tools import AgentTools
from tarsy_contracts.api.configuration import ChainAgent, EffectiveConfiguration
from tarsy_contracts.api.system import McpServer, McpServers
from tarsy_local.terminal_text import one_line


def read_chain_agents(api: str) -> Sequence[ChainAgent]:
    """None where the caller may not read the configuration, or an older ingest does not tell."""
    try:
        return EffectiveConfiguration.model_validate(get(f"{api}/system/config")).chain_agents
    except (ApiError, ValidationError):
        return ()


def read_listed_servers(api: str) -> Sequence[McpServer]:
    """With their tools. Raises ApiError or ValidationError."""
    return McpServers.model_validate(get(f"{api}/system/mcp-servers")).servers


def agent_lines(found: AgentTools) -> Iterator[str]:
    agent = found.agent
    yield one_line(f"{agent.chain_id} / {agent.stage} / {agent.agent}: {_tools_by_server(found)}")
    for sentence in found.sentences:
        yield f"  {one_line(sentence)}"


def _tools_by_server(found: AgentTools) -> str:
    return ", ".join(f"{format_count(len(tools), 'tool')} of {server}" for server, tools in found.offered.items())
