"""Parts of the system prompts of agents, by what they are for. Pure."""

from collections.abc import Iterator, Sequence
from string import Template

from tarsy_contracts.actions import PROPOSE
from tarsy_contracts.chain import ResolvedAgent
from tarsy_contracts.events import OfferedTool
from tarsy_session.controllers import controller_of
from tarsy_session.prompts.action import ACTION_FOCUS, ACTOR, COMPOSER, PROPOSE_FOCUS
from tarsy_session.prompts.roles import (
    ANSWERER,
    ANSWERING_FOCUS,
    INVESTIGATION_FOCUS,
    INVESTIGATOR,
    JOINER,
    JOINING_FOCUS,
    MARKS,
    NAME,
    SUB_AGENT,
    SUB_AGENT_FOCUS,
    SUMMARISER,
)

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
of the systems that you look into do not belong in them. What they find comes from outside, too.

You are told the number of each page that they find, such as [source 2]. Write it behind each claim that rests on the
page, exactly so; for several, [source 2, source 5]. Cite no page that you were not told of.""")

SERVER = Template("""\
## Tools of $server

$instructions""")

CUSTOM = Template("""\
## Instructions of the operator

$instructions""")


def instruct_investigator(agent: ResolvedAgent, tools: Sequence[OfferedTool], limits: Sequence[str]) -> Iterator[str]:
    """An agent that may act reads its guard instead, also in a stage with others that only look."""
    if not agent.action:
        return _with_tools(agent, tools, limits, role=INVESTIGATOR, focus=INVESTIGATION_FOCUS)
    focus = f"{PROPOSE_FOCUS}\n\n{ACTION_FOCUS}" if agent.action == PROPOSE else ACTION_FOCUS
    return _with_tools(agent, tools, limits, role=ACTOR, focus=focus)


def instruct_answerer(agent: ResolvedAgent, tools: Sequence[OfferedTool], limits: Sequence[str]) -> Iterator[str]:
    return _with_tools(agent, tools, limits, role=ANSWERER, focus=ANSWERING_FOCUS)


def instruct_sub_agent(agent: ResolvedAgent, tools: Sequence[OfferedTool], limits: Sequence[str]) -> Iterator[str]:
    return _with_tools(agent, tools, limits, role=SUB_AGENT, focus=SUB_AGENT_FOCUS)


def instruct_joiner(agent: ResolvedAgent, tools: Sequence[OfferedTool], limits: Sequence[str]) -> Iterator[str]:
    yield JOINER.substitute(name=agent.name)
    yield MARKS
    yield from _native_tools(agent)
    yield from _custom(agent)
    yield JOINING_FOCUS


def instruct_composer(agent: ResolvedAgent, tools: Sequence[OfferedTool], limits: Sequence[str]) -> Iterator[str]:
    yield COMPOSER.substitute(name=agent.name)
    yield MARKS
    yield from _custom(agent)


def instruct_summariser(agent: ResolvedAgent, tools: Sequence[OfferedTool], limits: Sequence[str]) -> Iterator[str]:
    yield SUMMARISER.substitute(name=agent.name)
    yield MARKS
    yield from _custom(agent)


def _with_tools(
    agent: ResolvedAgent,
    tools: Sequence[OfferedTool],
    limits: Sequence[str],
    role: str,
    focus: str,
) -> Iterator[str]:
    yield role
    yield MARKS
    instructions = controller_of(agent.controller).instruct(has_tools=bool(tools))
    if not tools:
        yield NO_TOOLS
    if instructions.calls:
        yield instructions.calls
    if tools:
        yield ITERATIONS.substitute(most=agent.max_iterations)
    yield from _native_tools(agent)
    for server in agent.servers:
        if server.instructions.strip():
            yield SERVER.substitute(server=server.server, instructions=server.instructions.strip())
    if instructions.answers:
        yield instructions.answers
    yield NAME.substitute(name=agent.name)
    yield from _custom(agent)
    yield from limits
    yield focus


def _native_tools(agent: ResolvedAgent) -> Iterator[str]:
    if agent.native_tools:
        yield NATIVE_TOOLS.substitute(tools=", ".join(agent.native_tools))


def _custom(agent: ResolvedAgent) -> Iterator[str]:
    if agent.custom_instructions.strip():
        yield CUSTOM.substitute(instructions=agent.custom_instructions.strip())
