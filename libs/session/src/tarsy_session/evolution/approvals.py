"""Evolution of calls that wait for a person. Pure; None for an event that makes no sense here.

While a call waits, the clock of its session stands, and that of its agent's iteration.
"""

from dataclasses import replace
from datetime import datetime
from typing import assert_never

from tarsy_contracts import events as e
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_session.evolution.clocks import begin_wait, end_wait
from tarsy_session.evolution.stages import with_execution
from tarsy_session.state import Approval, Investigating, ToolCallState, deadline_after
from tarsy_session.state_queries import waits_for_person

type ApprovalEvent = e.StageApprovalsRequired | e.ToolCallApprovalRequested | e.ToolCallApprovalDecided


def apply_approval_event(state: Investigating, event: ApprovalEvent, record: RecordedEvent) -> Investigating | None:
    match event:
        case e.StageApprovalsRequired():
            return _note_required(state, event)
        case e.ToolCallApprovalRequested():
            return _note_requested(state, event, record.appended_at)
        case e.ToolCallApprovalDecided():
            return _note_decided(state, event, record.appended_at)
    assert_never(event)


def _note_required(state: Investigating, event: e.StageApprovalsRequired) -> Investigating | None:
    stage = state.stage
    if stage is None or stage.started.stage_id != event.stage_id or stage.executions:
        return None
    if not stage.tools.keys() >= set(event.tools):
        return None
    known = replace(stage, approvals=frozenset(event.tools))
    return replace(state, stages=(*state.stages[:-1], known))


def _note_requested(state: Investigating, event: e.ToolCallApprovalRequested, at: datetime) -> Investigating | None:
    call = state.calls.get(event.call_id)
    if call is None or not call.open or call.claim is not None or call.approval is not None:
        return None
    waiting = replace(state, calls={**state.calls, event.call_id: replace(call, approval=Approval(event, at))})
    return begin_wait(waiting, at)


def _note_decided(state: Investigating, event: e.ToolCallApprovalDecided, at: datetime) -> Investigating | None:
    call = state.calls.get(event.call_id)
    if call is None or call.approval is None or not call.waits_for_person:
        return None
    approval = replace(call.approval, decided=event)
    # The time of the call itself begins now.
    end = deadline_after(at, call.requested.timeout_seconds)
    decided = replace(call, approval=approval, deadline=end)
    after = replace(state, calls={**state.calls, event.call_id: decided})
    return end_wait(_with_iteration(after, decided, approval, at), at)


def _with_iteration(state: Investigating, call: ToolCallState, approval: Approval, at: datetime) -> Investigating:
    """The calls of a turn begin to wait together, so that the last decision ends the wait of all."""
    execution = state.executions.get(call.requested.execution_id)
    if execution is None or execution.deadline is None or waits_for_person(state, execution):
        return state
    return with_execution(state, replace(execution, deadline=execution.deadline + (at - approval.since)))
