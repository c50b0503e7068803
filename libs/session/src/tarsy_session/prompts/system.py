"""System prompt of an agent, from its parts. Pure."""

from collections.abc import Iterator, Sequence
from string import Template

from tarsy_contracts.chain import ResolvedAgent, StageType
from tarsy_contracts.events import OfferedTool
from tarsy_contracts.inputs import UnavailableServer
from tarsy_contracts.withheld_tools import WithheldTools
from tarsy_session.controllers import controller_of
from tarsy_session.prompts.roles import (
    ANSWERER,
    ANSWERING_FOCUS,
    INVESTIGATION_FOCUS,
    INVESTIGATOR,
    JOINER,
    JOINING_FOCUS,
    MARKS,
    NAME,
    SUMMARISER,
)
from tarsy_session.prompts.unavailable import compose_missing, compose_unavailable, compose_withheld

NO_TOOLS = """\
## No tools

No tool is offered to you. Work with what you are given, and say which questions only the systems themselves could
answer. Your first answer is your final one."""

ITERATIONS = Template("""\
## Iterations

Each answer of yours with calls is an iteration. You have $most. Above each result stands which one it was, and when.
After the last one you write your final answer from what you have.""")

NATIVE_TOOLS = Template("""\
## Tools of your provider

You may also have $tools. Use them for what is publicly known (documentation, known faults). Names, addresses and data
of the systems that you look into do not belong in them. What they find comes from outside, too.""")

APPROVALS = Template("""\
## Calls that wait for a person

A call of $tools is made only after a person has approved it. Say in the same answer why it is needed: that is what the
person reads. A call that was denied has not run. Go on without it, and do not ask for it again unless you have learned
something new.""")

SERVER = Template("""\
## Tools of $server

$instructions""")

CUSTOM = Template("""\
## Instructions of the operator

$instructions""")


def compose_system(
    agent: ResolvedAgent,
    *,
    stage_type: StageType,
    tools: Sequence[OfferedTool],
    unavailable_servers: Sequence[UnavailableServer],
    missing: Sequence[str] = (),
    withheld: Sequence[WithheldTools] = (),
    approvals: Sequence[str] = (),
) -> str:
    """Begins with what all agents of a kind have in common, and ends with what differs from agent to agent and from
    day to day: providers keep a beginning that they have read before. The time stands in the task.

    `missing`: names in the operator's instructions that look like tools, and that none of `tools` has. `withheld`: what
    the operator's rules keep from the agent. `approvals`: the names of tools whose calls wait for a person.
    """
    limits = list(_limits(unavailable_servers, withheld, missing))
    match stage_type:
        case "synthesis":
            parts = _synthesis(agent)
        case "exec_summary":
            parts = _executive_summary(agent)
        case "chat":
            parts = _with_tools(agent, tools, limits, role=ANSWERER, focus=ANSWERING_FOCUS)
        case _:
            parts = _with_tools(agent, tools, limits, role=INVESTIGATOR, focus=INVESTIGATION_FOCUS)
    waiting = [APPROVALS.substitute(tools=", ".join(approvals))] if approvals else []
    return "\n\n".join([*parts, *waiting])


def _with_tools(
    agent: ResolvedAgent,
    tools: Sequence[OfferedTool],
    limits: Sequence[str],
    role: str,
    focus: str,
) -> Iterator[str]:
    yield role
    yield MARKS
    told = controller_of(agent.controller).instruct(has_tools=bool(tools))
    if not tools:
        yield NO_TOOLS
    if told.calls:
        yield told.calls
    if tools:
        yield ITERATIONS.substitute(most=agent.max_iterations)
    yield from _native_tools(agent)
    for server in agent.servers:
        if server.instructions.strip():
            yield SERVER.substitute(server=server.server, instructions=server.instructions.strip())
    if told.answers:
        yield told.answers
    yield NAME.substitute(name=agent.name)
    yield from _custom(agent)
    yield from limits
    yield focus


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


def _synthesis(agent: ResolvedAgent) -> Iterator[str]:
    yield JOINER.substitute(name=agent.name)
    yield MARKS
    yield from _native_tools(agent)
    yield from _custom(agent)
    yield JOINING_FOCUS


def _executive_summary(agent: ResolvedAgent) -> Iterator[str]:
    yield SUMMARISER.substitute(name=agent.name)
    yield MARKS
    yield from _custom(agent)


def _native_tools(agent: ResolvedAgent) -> Iterator[str]:
    if agent.native_tools:
        yield NATIVE_TOOLS.substitute(tools=", ".join(agent.native_tools))


def _custom(agent: ResolvedAgent) -> Iterator[str]:
    if agent.custom_instructions.strip():
        yield CUSTOM.substitute(instructions=agent.custom_instructions.strip())
