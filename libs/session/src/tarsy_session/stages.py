"""Stages of a session: which runs next, with which agents and tools, and how each ends. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from tarsy_contracts import events as e
from tarsy_contracts.chain import ResolvedAgent, ResolvedStage, StageType
from tarsy_contracts.ids import execution_id, stage_id
from tarsy_contracts.inputs import UnavailableServer
from tarsy_contracts.tool_patterns import is_named
from tarsy_contracts.topics import LIMIT_BYTES
from tarsy_session.builtin_tools import BUILTIN_TOOLS, with_builtins
from tarsy_session.missing_tools import missing_tools
from tarsy_session.prompt_context import compose_task
from tarsy_session.prompts.system import compose_system
from tarsy_session.state import Execution, Investigating, Question, Stage
from tarsy_session.state_queries import agents_of, chat_agent, final_analysis, own_calls_ended
from tarsy_session.termination import complete, end_of_life, fail
from tarsy_session.withheld_tools import withheld_tools

EXECUTIVE_SUMMARY = "Executive Summary"
CHAT = "Chat"
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


def start_first_stage(state: Investigating) -> e.StageStarted:
    return _planned(state, 0)


def start_reply(state: Investigating, question: Question) -> e.StageStarted:
    """The stage of a reply belongs to no stage of the plan."""
    agents = (chat_agent(state.started.chain),)
    return _started(state, CHAT, "chat", agents, None).model_copy(update={"stage_id": question.asked.stage_id})


def leave_stage(state: Investigating, ended: Stage) -> Sequence[e.Event]:
    """Starts the next stage, or ends the session. A stage that did not complete ends the session."""
    started, completed = ended.started, ended.completed
    if completed is None:
        return []
    if started.stage_type == "exec_summary":
        return [_summarised(state, ended, completed)]
    if started.stage_type == "chat":
        failed = e.SessionFailed(error=completed.error)
        return [end_of_life(state, failed, completed.status, completed.error)]
    if completed.status != "completed":
        return [_ended_badly(completed)]
    chain = state.started.chain
    place = started.chain_stage if started.chain_stage is not None else len(chain.stages)
    if started.stage_type == "investigation" and chain.stages[place].synthesis is not None:
        return [_synthesis(state, ended, chain.stages[place], place)]
    if place + 1 < len(chain.stages):
        return [_planned(state, place + 1)]
    if chain.executive_summary is not None and final_analysis(state):
        return [_started(state, EXECUTIVE_SUMMARY, "exec_summary", (chain.executive_summary,), None)]
    return [complete(state)]


def wanted_servers(state: Investigating) -> Sequence[str]:
    """Returns the servers that the agents of the present stage use, each once; empty when no tools are wanted."""
    stage = state.stage
    if stage is None or not stage.open or stage.executions or not own_calls_ended(state):
        return []
    agents = agents_of(state.started.chain, stage.started)
    return list(dict.fromkeys(server.server for agent in agents for server in agent.servers))


def start_without_tools(state: Investigating, stage: Stage, at: datetime) -> Sequence[e.Event]:
    """Starts the executions of a stage whose agents use no tools, as soon as the runbook is there."""
    if not own_calls_ended(state) or wanted_servers(state):
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

    The tools of all agents stand before them, once.
    """
    agents = agents_of(state.started.chain, stage.started)
    first = execution_id(stage.started.stage_id, 1)
    of_agents = [with_builtins(state, agent, [tool for tool in tools if _may_call(agent, tool)]) for agent in agents]
    names = {tool.definition.name for offered in of_agents for tool in offered}
    every = (*tools, *(one.offer for one in BUILTIN_TOOLS.values()))
    offered = tuple(tool for tool in every if tool.definition.name in names)
    described = {tool.definition.name: tool.model_dump_json() for tool in offered}
    if problem := _too_many(stage, offered, described):
        return fail(state, problem)
    waiting = tuple(tool.definition.name for tool in offered if _needs_approval(agents, tool))
    known = StageTools(tools, of_agents, unavailable_servers, described, waiting)
    executions = [
        _execution(state, stage, at, agent, index, known, prompt_of="" if index == 1 else first)
        for index, agent in enumerate(agents, start=1)
    ]
    said: list[e.Event] = [e.StageToolsOffered(stage_id=stage.started.stage_id, tools=offered)] if offered else []
    if waiting:
        said.append(e.StageApprovalsRequired(stage_id=stage.started.stage_id, tools=waiting))
    return [*said, *executions]


def end_stage(state: Investigating, stage: Stage) -> e.StageCompleted:
    """Ends the stage after the last of its agents. `any`: one completed agent is enough; `all`: each must complete."""
    executions = state.executions_of(stage)
    statuses = [one.completed.status for one in executions if one.completed is not None]
    enough = all if stage.started.success_policy == "all" else any
    status: e.EndStatus = "failed"
    if enough(one == "completed" for one in statuses):
        status = "completed"
    elif len(set(statuses)) == 1 and statuses[0] != "completed":
        status = statuses[0]
    started = stage.started
    error = "" if status == "completed" else _errors(executions)
    return e.StageCompleted(
        stage_id=started.stage_id, index=started.index, name=started.name, status=status, error=error
    )


def _errors(executions: Sequence[Execution]) -> str:
    ended = [one.completed for one in executions if one.completed is not None and one.completed.error]
    if len(executions) == 1:
        return "".join(one.error for one in ended)
    return "; ".join(f"{one.agent}: {one.error}" for one in ended)


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
    used = {server.server for server in agent.servers}
    unavailable = [one for one in known.unavailable_servers if one.server in used]
    withheld = withheld_tools(agent, offered, known.tools, unavailable)
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
            missing=missing_tools(agent, offered, known.tools, known.described),
            approvals=[tool.definition.name for tool in offered if tool.definition.name in known.approvals],
        ),
        prompt="" if prompt_of else compose_task(state, stage, at, offered),
        tools=(),
        unavailable_servers=tuple(one.server for one in unavailable),
        llm_provider=agent.llm_provider,
        controller=agent.controller,
        max_iterations=agent.max_iterations,
        prompt_of=prompt_of,
        stage_tools=tuple(tool.definition.name for tool in offered),
        withheld=withheld,
    )


def _may_call(agent: ResolvedAgent, tool: e.OfferedTool) -> bool:
    """A tool that is not read-only needs the operator's word that it may be offered."""
    server = next((one for one in agent.servers if one.server == tool.server), None)
    if server is None or not (server.tools is None or tool.tool in server.tools):
        return False
    return tool.read_only or is_named(tool.tool, server.allow)


def _needs_approval(agents: Sequence[ResolvedAgent], tool: e.OfferedTool) -> bool:
    """One agent's rule is enough: the agents of a stage have the same tools."""
    rules = [server.approve for agent in agents for server in agent.servers if server.server == tool.server]
    return any(is_named(tool.tool, rule.tools) or (rule.changing and not tool.read_only) for rule in rules)


def _planned(state: Investigating, place: int) -> e.StageStarted:
    planned = state.started.chain.stages[place]
    return _started(state, planned.name, "investigation", planned.agents, place, planned=planned)


def _synthesis(state: Investigating, joined: Stage, planned: ResolvedStage, place: int) -> e.StageStarted:
    agents = () if planned.synthesis is None else (planned.synthesis,)
    name = f"{planned.name} - Synthesis"
    return _started(state, name, "synthesis", agents, place, referenced_stage_id=joined.started.stage_id)


def _started(
    state: Investigating,
    name: str,
    stage_type: StageType,
    agents: Sequence[ResolvedAgent],
    place: int | None,
    *,
    planned: ResolvedStage | None = None,
    referenced_stage_id: str | None = None,
) -> e.StageStarted:
    index = len(state.stages) + 1
    parallel = planned is not None and len(agents) > 1
    return e.StageStarted(
        stage_id=stage_id(state.id_root, index),
        index=index,
        name=name,
        stage_type=stage_type,
        chain_stage=place,
        expected_agent_count=len(agents),
        parallel_type=("replica" if planned.replicas else "multi_agent") if planned is not None and parallel else None,
        success_policy=planned.success_policy if planned is not None and parallel else None,
        referenced_stage_id=referenced_stage_id,
    )


def _summarised(state: Investigating, stage: Stage, completed: e.StageCompleted) -> e.SessionCompleted:
    """The executive summary is nice to have: without it the session completes all the same, and says why."""
    (execution,) = state.executions_of(stage)
    summary = execution.completed.final_analysis if execution.completed is not None else ""
    error = "" if completed.status == "completed" else completed.error or completed.status
    return complete(state, executive_summary=summary, executive_summary_error=error)


def _ended_badly(completed: e.StageCompleted) -> e.SessionFailed | e.SessionTimedOut:
    if completed.status == "timed_out":
        return e.SessionTimedOut(error=completed.error)
    return e.SessionFailed(error=completed.error)
