"""Evolution of stages and executions. Pure; None for an event that makes no sense here."""

from dataclasses import replace
from datetime import datetime
from typing import assert_never

from tarsy_contracts import events as e
from tarsy_contracts.chain import ResolvedAgent
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_session.executions.children import find_sub_agent, waits_for_children
from tarsy_session.phases import agents_of
from tarsy_session.state import Execution, Investigating, Stage

type StageEvent = e.StageStarted | e.StageToolsOffered | e.StageCompleted | e.ExecutionStarted | e.ExecutionCompleted


def apply_stage_event(state: Investigating, event: StageEvent, record: RecordedEvent) -> Investigating | None:
    match event:
        case e.StageStarted():
            return apply_stage_started(state, event, record)
        case e.StageToolsOffered():
            return apply_tools_offered(state, event)
        case e.StageCompleted():
            return apply_stage_completed(state, event)
        case e.ExecutionStarted():
            return apply_execution_started(state, event, record.appended_at)
        case e.ExecutionCompleted():
            return apply_execution_completed(state, event)
    assert_never(event)


def apply_stage_started(state: Investigating, event: e.StageStarted, record: RecordedEvent) -> Investigating | None:
    if state.stage is not None and state.stage.open:
        return None
    life = state.life if state.life.began_at is not None else replace(state.life, began_at=record.appended_at)
    return replace(state, stages=(*state.stages, Stage(event, life.phase)), life=life)


def apply_tools_offered(state: Investigating, event: e.StageToolsOffered) -> Investigating | None:
    stage = state.stage
    if stage is None or stage.started.stage_id != event.stage_id or stage.executions:
        return None
    tools = {tool.definition.name: tool for tool in event.tools}
    known = replace(stage, tools=tools, sub_agents={one.key: one for one in event.sub_agents})
    return replace(state, stages=(*state.stages[:-1], known))


def apply_stage_completed(state: Investigating, event: e.StageCompleted) -> Investigating | None:
    stage = state.stage
    if stage is None or stage.started.stage_id != event.stage_id:
        return None
    return replace(state, stages=(*state.stages[:-1], replace(stage, completed=event)))


def apply_execution_started(
    state: Investigating, event: e.ExecutionStarted, began_at: datetime
) -> Investigating | None:
    stage = state.stage
    if stage is None or stage.started.stage_id != event.stage_id:
        return None
    agent = _agent_of(state, stage, event)
    if agent is None or not stage.tools.keys() >= set(event.stage_tools):
        return None
    execution = Execution(
        started=event,
        began_at=began_at,
        agent=agent,
        stage_type=stage.started.stage_type,
        llm_provider=event.llm_provider or agent.llm_provider,
        tools=event.tools or tuple(stage.tools[name] for name in event.stage_tools),
        approvals=stage.approvals.intersection(event.stage_tools),
        waited_before=state.life.waited,
    )
    own = () if event.parent_execution_id else (event.execution_id,)
    grown = replace(stage, executions=(*stage.executions, *own))
    return replace(
        state,
        stages=(*state.stages[:-1], grown),
        executions={**state.executions, event.execution_id: execution},
    )


def apply_execution_completed(state: Investigating, event: e.ExecutionCompleted) -> Investigating | None:
    execution = state.executions.get(event.execution_id)
    if execution is None:
        return None
    parent = state.executions.get(execution.parent_id)
    if parent is None:
        return with_execution(state, replace(execution, completed=event))
    ended = replace(execution, completed=event, read_after=parent.turns_begun)
    after = with_execution(state, ended)
    # The time of an iteration does not run while it waits.
    return with_execution(after, replace(parent, deadline=None)) if waits_for_children(state, parent) else after


def _agent_of(state: Investigating, stage: Stage, event: e.ExecutionStarted) -> ResolvedAgent | None:
    """None where the plan does not have it."""
    chain = state.started.chain
    if event.parent_execution_id:
        parent = state.executions.get(event.parent_execution_id)
        found = None if parent is None else find_sub_agent(chain, parent.agent, event.agent)
        return None if found is None else found.agent
    agents = agents_of(chain, stage.started)
    return agents[event.index - 1] if 1 <= event.index <= len(agents) else None


def with_execution(state: Investigating, execution: Execution) -> Investigating:
    return replace(state, executions={**state.executions, execution.id: execution})
