"""Stages of a session: with which agents and tools each runs, and how it ends. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from tarsy_contracts import events as e
from tarsy_contracts.builtin_tools import DISPATCH_AGENT, OWN_SERVER
from tarsy_contracts.chain import ResolvedAgent
from tarsy_contracts.messages.inputs import UnavailableServer
from tarsy_contracts.tool_patterns import is_named
from tarsy_contracts.wire.ids import execution_id
from tarsy_contracts.wire.topics import LIMIT_BYTES
from tarsy_session.builtin_tools import BUILTIN_TOOLS, with_builtins
from tarsy_session.executions.children import children_of, list_reachable, list_sub_agents
from tarsy_session.memories import list_given
from tarsy_session.phases import agents_of, kind_of
from tarsy_session.skills import fit_skills
from tarsy_session.state import Execution, Investigating, Stage
from tarsy_session.state_queries import have_own_calls_ended
from tarsy_session.system_prompt import compose_system
from tarsy_session.termination import complete_stage, fail
from tarsy_session.tools.missing_tools import find_missing_tools
from tarsy_session.tools.withheld_tools import find_withheld_tools

TOOLS_BYTES = LIMIT_BYTES * 3 // 4
"""Limit of all tools of a stage. The rest of the batch is for the instructions and the prompt of its agents."""
MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class StageTools:
    """Tools of all servers of a stage. `of_agents`: those that each agent may call, and built-in ones.

    `described`: by their names, all that they say. `approvals`: the names of those whose calls wait for a person.
    """

    tools: Sequence[e.OfferedTool]
    of_agents: Sequence[Sequence[e.OfferedTool]]
    unavailable_servers: Sequence[UnavailableServer]
    described: Mapping[str, str]
    approvals: Sequence[str]


def list_wanted_servers(state: Investigating) -> Sequence[str]:
    """Returns the servers that the agents of the present stage use, each once; empty when no tools are wanted."""
    stage = state.stage
    if stage is None or not stage.open or stage.executions or not have_own_calls_ended(state):
        return []
    agents = agents_of(state.started.chain, stage.started)
    everybody = (*agents, *list_reachable(state.started.chain, agents).values())
    return list(dict.fromkeys(server.server for agent in everybody for server in agent.servers))


def start_without_tools(state: Investigating, stage: Stage, at: datetime) -> Sequence[e.Event]:
    """Starts the executions of a stage whose agents use no tools, as soon as the runbook is there."""
    if not have_own_calls_ended(state) or list_wanted_servers(state):
        return []
    return start_executions(state, stage, at, tools=(), unavailable_servers=())


def start_executions(
    state: Investigating,
    stage: Stage,
    at: datetime,
    *,
    tools: Sequence[e.OfferedTool],
    unavailable_servers: Sequence[UnavailableServer],
) -> Sequence[e.Event]:
    """Starts one execution for each agent of the stage. All get the same prompt, so that only the first carries it.

    The tools of all agents stand before them, once, also those of the sub-agents that may be sent.
    """
    agents = agents_of(state.started.chain, stage.started)
    reachable = list_reachable(state.started.chain, agents)
    everybody = (*agents, *reachable.values())
    first = execution_id(stage.started.stage_id, 1)
    of_agents = [with_builtins(state, agent, [tool for tool in tools if _may_call(agent, tool)]) for agent in everybody]
    names = {tool.definition.name for offered in of_agents for tool in offered}
    every = (*tools, *(one.offer for one in BUILTIN_TOOLS.values()))
    offered = tuple(tool for tool in every if tool.definition.name in names)
    described = {tool.definition.name: tool.model_dump_json() for tool in offered}
    if problem := _too_many(stage, offered, described):
        return fail(state, problem)
    waiting = tuple(tool.definition.name for tool in offered if _needs_approval(everybody, tool))
    known = StageTools(tools, of_agents, unavailable_servers, described, waiting)
    executions = [
        _execution(state, stage, at, agent, index, known, prompt_of="" if index == 1 else first)
        for index, agent in enumerate(agents, start=1)
    ]
    sent = [
        _describe_sub_agent(key, agent, of_agent, known)
        for (key, agent), of_agent in zip(reachable.items(), of_agents[len(agents) :], strict=True)
    ]
    events: list[e.Event] = []
    if offered:
        events.append(e.StageToolsOffered(stage_id=stage.started.stage_id, tools=offered, sub_agents=tuple(sent)))
    if waiting:
        events.append(e.StageApprovalsRequired(stage_id=stage.started.stage_id, tools=waiting))
    return [*events, *executions]


def end_stage(state: Investigating, stage: Stage) -> e.StageCompleted:
    """Ends the stage after the last of its agents. `any`: one completed agent is enough; `all`: each must complete."""
    executions = state.executions_of(stage)
    statuses = [_status_of(state, one, one.completed) for one in executions if one.completed is not None]
    enough = all if stage.started.success_policy == "all" else any
    status: e.EndStatus = "failed"
    if enough(one == "completed" for one in statuses):
        status = "completed"
    elif len(set(statuses)) == 1 and statuses[0] != "completed":
        status = statuses[0]
    error = "" if status == "completed" else _errors(state, executions)
    return complete_stage(state, stage, status, error)


def _status_of(state: Investigating, execution: Execution, completed: e.ExecutionCompleted) -> e.EndStatus:
    """That of the agent, unless its sub-agents had to complete and did not."""
    return "failed" if completed.status == "completed" and _list_missed(state, execution) else completed.status


def _list_missed(state: Investigating, execution: Execution) -> list[str]:
    """The sub-agents that had to complete and did not."""
    if not execution.agent.sub_agent_limits.required:
        return []
    # A task that failed and was given again counts as its last run does.
    last = {(one.agent.name, one.started.task): one.completed for one in children_of(state, execution)}
    return [name for (name, _), ended in last.items() if ended is None or ended.status != "completed"]


def _errors(state: Investigating, executions: Sequence[Execution]) -> str:
    reasons = [_reason(state, one) for one in executions]
    if len(executions) == 1:
        return "".join(reasons)
    named = zip(executions, reasons, strict=True)
    return "; ".join(f"{one.started.agent}: {reason}" for one, reason in named if reason)


def _reason(state: Investigating, execution: Execution) -> str:
    missed = _list_missed(state, execution)
    if execution.completed is None or execution.completed.error or not missed:
        return "" if execution.completed is None else execution.completed.error
    return f"sub-agents that had to complete did not: {', '.join(dict.fromkeys(missed))}"


def _too_many(stage: Stage, tools: Sequence[e.OfferedTool], described: Mapping[str, str]) -> str:
    """Returns why these tools cannot be offered; empty when they can. A model would not take as many either."""
    sizes: Counter[str] = Counter()
    for tool in tools:
        sizes[tool.server] += len(described[tool.definition.name].encode())
    if sizes.total() <= TOOLS_BYTES:
        return ""
    largest = ", ".join(f"{server}: {size}" for server, size in sizes.most_common(MOST_NAMED))
    return (
        f"The tools of the stage {stage.started.name!r} have {sizes.total()} bytes together ({largest}). At most"
        f" {TOOLS_BYTES} fit: use fewer MCP servers in one stage, or let the servers describe their tools more briefly."
    )


def _execution(
    state: Investigating,
    stage: Stage,
    at: datetime,
    agent: ResolvedAgent,
    index: int,
    known: StageTools,
    *,
    prompt_of: str,
) -> e.ExecutionStarted:
    offered = known.of_agents[index - 1]
    unavailable = _unavailable_to(agent, known)
    withheld = find_withheld_tools(agent, offered, known.tools, unavailable)
    return e.ExecutionStarted(
        execution_id=execution_id(stage.started.stage_id, index),
        stage_id=stage.started.stage_id,
        agent=agent.name,
        index=index,
        system=compose_system(
            agent,
            stage_type=stage.started.stage_type,
            tools=offered,
            unavailable_servers=unavailable,
            withheld=withheld,
            missing=find_missing_tools(agent, offered, known.tools, known.described),
            approvals=[tool.definition.name for tool in offered if tool.definition.name in known.approvals],
            sub_agents=[one.agent for one in list_sub_agents(state.started.chain, agent)] if _sends(offered) else (),
        ),
        prompt="" if prompt_of else kind_of(stage.started.stage_type).task(state, stage, at, offered),
        tools=(),
        unavailable_servers=tuple(one.server for one in unavailable),
        llm_provider=agent.llm_provider,
        controller=agent.controller,
        max_iterations=agent.max_iterations,
        prompt_of=prompt_of,
        stage_tools=tuple(tool.definition.name for tool in offered),
        withheld=withheld,
        skills=fit_skills(state, agent, offered),
        memories=list_given(state, stage.started.stage_type),
    )


def _describe_sub_agent(
    key: str, agent: ResolvedAgent, offered: Sequence[e.OfferedTool], known: StageTools
) -> e.SubAgentTools:
    return e.SubAgentTools(
        key=key,
        tools=tuple(tool.definition.name for tool in offered),
        withheld=find_withheld_tools(agent, offered, known.tools, _unavailable_to(agent, known)),
        missing=find_missing_tools(agent, offered, known.tools, known.described),
    )


def _unavailable_to(agent: ResolvedAgent, known: StageTools) -> list[UnavailableServer]:
    used = {server.server for server in agent.servers}
    return [one for one in known.unavailable_servers if one.server in used]


def _sends(offered: Sequence[e.OfferedTool]) -> bool:
    return any((tool.server, tool.tool) == (OWN_SERVER, DISPATCH_AGENT) for tool in offered)


def _may_call(agent: ResolvedAgent, tool: e.OfferedTool) -> bool:
    """A tool that is not read-only needs the operator's word that it may be offered.

    An agent that acts also gets those that `approve` names: each call of them waits for a person.
    """
    server = next((one for one in agent.servers if one.server == tool.server), None)
    if server is None or not (server.tools is None or tool.tool in server.tools):
        return False
    named = (*server.allow, *server.approve.tools) if agent.action else server.allow
    return tool.read_only or is_named(tool.tool, named)


def _needs_approval(agents: Sequence[ResolvedAgent], tool: e.OfferedTool) -> bool:
    """One agent's rule is enough: the agents of a stage have the same tools."""
    rules = [server.approve for agent in agents for server in agent.servers if server.server == tool.server]
    return any(is_named(tool.tool, rule.tools) or (rule.changing and not tool.read_only) for rule in rules)
