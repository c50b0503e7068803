"""System prompt of an agent: what it is told of its work, and of what it may and cannot use. Pure."""

from collections.abc import Callable, Iterator, Sequence
from string import Template

from tarsy_contracts.chain import ResolvedAgent
from tarsy_contracts.events import OfferedTool
from tarsy_contracts.messages.inputs import UnavailableServer
from tarsy_contracts.withheld_tools import WithheldTools
from tarsy_session.prompts.delegation import compose_sub_agents
from tarsy_session.prompts.unavailable import compose_missing, compose_unavailable, compose_withheld

APPROVALS = Template("""\
## Calls that wait for a person

A call of $tools is made only after a person has approved it. Say in the same answer why it is needed: that is what the
person reads. A call that was denied has not run. Go on without it, and do not ask for it again unless you have learned
something new.""")


type Parts = Callable[[ResolvedAgent, Sequence[OfferedTool], Sequence[str]], Iterator[str]]


def compose_sections(
    parts: Parts,
    agent: ResolvedAgent,
    *,
    tools: Sequence[OfferedTool],
    unavailable_servers: Sequence[UnavailableServer],
    missing: Sequence[str] = (),
    withheld: Sequence[WithheldTools] = (),
    approvals: Sequence[str] = (),
    sub_agents: Sequence[ResolvedAgent] = (),
) -> str:
    """Begins with what all agents of a kind share, and ends with what differs by agent and day. Providers cache a
    prefix that they have read before. The time stands in the task.

    `missing`: names in the operator's instructions that look like tools, and that none of `tools` has. `withheld`: what
    the operator's rules keep from the agent. `approvals`: the names of tools whose calls wait for a person.
    `parts`: by what the agent is for. `sub_agents`: those that it may send.
    """
    limits = list(_limits(unavailable_servers, withheld, missing))
    waiting = [APPROVALS.substitute(tools=", ".join(approvals))] if approvals else []
    sends = [compose_sub_agents(sub_agents)] if sub_agents else []
    return "\n\n".join([*parts(agent, tools, limits), *waiting, *sends])


def _limits(
    unavailable_servers: Sequence[UnavailableServer], withheld: Sequence[WithheldTools], missing: Sequence[str]
) -> Iterator[str]:
    """Sections on what the agent cannot use, and is to say."""
    if unavailable_servers:
        yield compose_unavailable(unavailable_servers)
    if words := compose_withheld(withheld):
        yield words
    if missing:
        yield compose_missing(missing)
