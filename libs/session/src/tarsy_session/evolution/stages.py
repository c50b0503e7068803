"""Evolution of stages and executions. Pure; None for an event that makes no sense here."""

from dataclasses import replace
from datetime import datetime
from typing import assert_never

from tarsy_contracts import events as e
from tarsy_contracts.events.recorded import RecordedEvent
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
    known = replace(stage, tools={tool.definition.name: tool for tool in event.tools})
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
    agents = agents_of(state.started.chain, stage.started)
    if not 1 <= event.index <= len(agents) or not stage.tools.keys() >= set(event.stage_tools):
        return None
    agent = agents[event.index - 1]
    execution = Execution(
        started=event,
        began_at=began_at,
        agent=agent,
        stage_type=stage.started.stage_type,
        llm_provider=event.llm_provider or agent.llm_provider,
        tools=event.tools or tuple(stage.tools[name] for name in event.stage_tools),
        approvals=stage.approvals.intersection(event.stage_tools),
    )
    grown = replace(stage, executions=(*stage.executions, event.execution_id))
    return replace(
        state,
        stages=(*state.stages[:-1], grown),
        executions={**state.executions, event.execution_id: execution},
    )


def apply_execution_completed(state: Investigating, event: e.ExecutionCompleted) -> Investigating | None:
    execution = state.executions.get(event.execution_id)
    if execution is None:
        return None
    return with_execution(state, replace(execution, completed=event))


def with_execution(state: Investigating, execution: Execution) -> Investigating:
    return replace(state, executions={**state.executions, execution.id: execution})
