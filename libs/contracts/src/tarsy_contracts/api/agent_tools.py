"""Tools that each agent has now, and those that were left out: configuration and catalog together. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tarsy_contracts.api.configuration import ChainAgent
from tarsy_contracts.api.system import McpServer
from tarsy_contracts.withheld_tools import MOST_NAMED, WithheldTools, describe_withheld

UNREPORTED = "no running tool gateway knows this server"


@dataclass(frozen=True, slots=True)
class AgentTools:
    """`offered`: names of the tools by server. `withheld`: one for each server that gives the agent less than it has.

    `starting`: one of its servers has not been tried to the end.
    """

    agent: ChainAgent
    offered: Mapping[str, Sequence[str]]
    withheld: Sequence[WithheldTools]
    starting: bool

    @property
    def count(self) -> int:
        return sum(map(len, self.offered.values()))

    @property
    def sentences(self) -> list[str]:
        """Sentences on what it does not have, why, and the line of `tarsy.yaml` that changes it."""
        return [describe_withheld(self.agent.agent, one) for one in self.withheld]


def agent_tools(agents: Sequence[ChainAgent], servers: Sequence[McpServer]) -> list[AgentTools]:
    """`servers` with their tools, as running tool gateways see them."""
    known = {server.id: server for server in servers}
    return [_tools_of(agent, known) for agent in agents]


def _tools_of(agent: ChainAgent, known: Mapping[str, McpServer]) -> AgentTools:
    used = [(name, known.get(name)) for name in agent.mcp_servers]
    offered = {name: [] if server is None else _offered_names(server) for name, server in used}
    withheld = [_find_withheld(name, server, len(offered[name])) for name, server in used]
    return AgentTools(
        agent,
        offered,
        [one for one in withheld if one is not None],
        any(server is not None and server.starting for _, server in used),
    )


def _offered_names(server: McpServer) -> list[str]:
    """Older tool gateways do not say what is allowed: what only reads is."""
    if not server.healthy:
        return []
    return [tool.name for tool in server.tools if (tool.read_only if tool.allowed is None else tool.allowed)]


def _find_withheld(name: str, server: McpServer | None, offered: int) -> WithheldTools | None:
    if server is None or not server.healthy:
        error = UNREPORTED if server is None else server.error or "no reason is known"
        return WithheldTools(server=name, unavailable=error)
    if offered and not server.denied_count:
        return None
    denied = tuple(tool.name for tool in server.tools if tool.allowed is False)[:MOST_NAMED]
    return WithheldTools(server=name, offered=offered, denied=denied, denied_count=server.denied_count)
