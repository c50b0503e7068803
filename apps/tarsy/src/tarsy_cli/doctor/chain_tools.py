"""Tools of the agents of chains, by the model that is offered them, as the gateways of a running TARSy see them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

import httpx2
from pydantic import ValidationError

from tarsy_cli.credentials import key_headers
from tarsy_cli.doctor.setup import Setup
from tarsy_config.config import Config
from tarsy_contracts.api.system import McpServer, McpTool
from tarsy_contracts.chain import ResolvedAgent, ResolvedServer
from tarsy_contracts.conversation import ToolDefinition
from tarsy_contracts.tool_patterns import is_named
from tarsy_session.tools.tool_names import ToolKey, names_of

SECONDS = 8.0


@dataclass(frozen=True, slots=True)
class ChainTools:
    """`by_provider`: the most that an agent offers to it. `real_names`: `server.tool` by the name that models use.

    `why_none`: why nothing is known of tools; empty where the gateways were asked.
    """

    by_provider: Mapping[str, Sequence[ToolDefinition]] = field(default_factory=dict)
    real_names: Mapping[str, str] = field(default_factory=dict)
    why_none: str = ""


async def tools_of_chains(setup: Setup, config: Config) -> ChainTools:
    if not setup.api:
        return ChainTools(why_none=setup.why_not)
    agents = [agent for plan in config.plans for agent in plan.agents()]
    calling = [agent for agent in agents if agent.controller == "function_calling"]
    try:
        servers = await _read_servers(setup.api, {server.server for agent in calling for server in agent.servers})
    except (httpx2.HTTPError, httpx2.InvalidURL, ValidationError) as problem:
        return ChainTools(why_none=f"the API does not list MCP servers ({type(problem).__name__})")
    names = names_of((name, tool.name) for name, server in servers.items() for tool in server.tools)
    return ChainTools(
        by_provider=_tools_by_provider(calling, servers, names),
        real_names={name: ".".join(key) for key, name in names.items()},
    )


async def _read_servers(api: str, wanted: set[str]) -> Mapping[str, McpServer]:
    """Those that some gateway has seen."""
    found: dict[str, McpServer] = {}
    async with httpx2.AsyncClient(headers=key_headers(), timeout=SECONDS) as client:
        for name in sorted(wanted):
            answer = await client.get(f"{api}/system/mcp-servers/{quote(name, safe='')}")
            if answer.status_code != 404:
                answer.raise_for_status()
                found[name] = McpServer.model_validate_json(answer.content)
    return found


def _tools_by_provider(
    agents: Sequence[ResolvedAgent], servers: Mapping[str, McpServer], names: Mapping[ToolKey, str]
) -> Mapping[str, Sequence[ToolDefinition]]:
    most: dict[str, Sequence[ToolDefinition]] = {}
    for agent in agents:
        offered = [tool for server in agent.servers for tool in _tools_of_server(server, servers, names)]
        for provider in (agent.llm_provider, *agent.fallback_providers):
            most[provider] = max(most.get(provider, ()), offered, key=len)
    return most


def _tools_of_server(
    server: ResolvedServer, servers: Mapping[str, McpServer], names: Mapping[ToolKey, str]
) -> Sequence[ToolDefinition]:
    seen = servers.get(server.server)
    tools = () if seen is None else seen.tools
    return [
        ToolDefinition(
            name=names[server.server, tool.name], description=tool.description, input_schema=tool.input_schema or {}
        )
        for tool in tools
        if _may_call(server, tool)
    ]


def _may_call(server: ResolvedServer, tool: McpTool) -> bool:
    chosen = server.tools is None or tool.name in server.tools
    return chosen and (tool.read_only or is_named(tool.name, server.allow))
