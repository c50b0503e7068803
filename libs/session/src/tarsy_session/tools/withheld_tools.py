"""Tools that an agent does not get, and what that means for what it finds. Pure."""

from collections.abc import Iterator, Sequence

from tarsy_contracts.chain import ResolvedAgent, ResolvedServer
from tarsy_contracts.events import OfferedTool
from tarsy_contracts.messages.inputs import UnavailableServer
from tarsy_contracts.withheld_tools import MOST_NAMED, WithheldTools, describe_withheld
from tarsy_session.state import Investigating
from tarsy_session.state_queries import select_investigation_stages
from tarsy_session.text import to_one_line

MOST_LIMITS = 20
REASON_LIMIT = 300


def find_withheld_tools(
    agent: ResolvedAgent,
    offered: Sequence[OfferedTool],
    catalogued: Sequence[OfferedTool],
    unavailable: Sequence[UnavailableServer],
) -> tuple[WithheldTools, ...]:
    """One for each of its servers of which the agent does not have all tools that its plan selects.

    `catalogued`: all tools of the stage's servers, as they are.
    """
    return tuple(_find_withheld(agent, offered, catalogued, unavailable))


def evidence_limits(state: Investigating) -> tuple[str, ...]:
    """A sentence for each agent and server that gave it no tools: the evidence of the investigation lacks that."""
    sentences = (
        describe_withheld(execution.started.agent, one)
        for stage in select_investigation_stages(state)
        for execution in state.all_executions_of(stage)
        for one in execution.started.withheld
        if not one.offered
    )
    return tuple(dict.fromkeys(sentences))[:MOST_LIMITS]


def _find_withheld(
    agent: ResolvedAgent,
    offered: Sequence[OfferedTool],
    catalogued: Sequence[OfferedTool],
    unavailable: Sequence[UnavailableServer],
) -> Iterator[WithheldTools]:
    reasons = {one.server: one.reason for one in unavailable}
    for server in agent.servers:
        names = {tool.tool for tool in catalogued if tool.server == server.server}
        has = {tool.tool for tool in offered if tool.server == server.server}
        denied = [name for name in sorted(names - has) if server.tools is None or name in server.tools]
        unknown = [] if server.server in reasons else _unknown_names(server, names)
        if has and not denied and not unknown:
            continue
        yield WithheldTools(
            server=server.server,
            offered=len(has),
            denied=tuple(denied[:MOST_NAMED]),
            denied_count=len(denied),
            unknown=tuple(unknown[:MOST_NAMED]),
            unavailable=to_one_line(reasons.get(server.server, ""), REASON_LIMIT),
        )


def _unknown_names(server: ResolvedServer, names: set[str]) -> list[str]:
    return [name for name in server.tools or () if name not in names]
