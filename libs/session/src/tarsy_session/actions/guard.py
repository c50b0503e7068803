"""The guard before calls of tools that change something: TARSy's own reasons not to make one. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from tarsy_contracts import events as e
from tarsy_contracts.actions import ACT, LIMIT, PAUSE, PROPOSE, ActionMode, HeldBy
from tarsy_contracts.alert import workload_of
from tarsy_session.decision_input import ActionGate
from tarsy_session.executions.children import ancestors_of
from tarsy_session.state import Execution, Investigating, SessionState, ToolCallState
from tarsy_session.tool_answers import answer_call

HOUR = timedelta(hours=1)
PROPOSED = "Recorded as a proposal. It did not run: here actions are only proposed, and a person decides later."
TOO_MANY = "{most} actions for this workload have been granted in the last hour, the most allowed. It did not run."


@dataclass(frozen=True, slots=True)
class Hold:
    """Why a call is not made: the fact for the log, and the sentence for people and the agent."""

    held_by: HeldBy
    sentence: str


def find_hold(
    state: Investigating, execution: Execution, tool: e.OfferedTool, gate: ActionGate, at: datetime
) -> Hold | None:
    """None for a call that may go its way."""
    if tool.read_only:
        return None
    if mode_of(state, execution) == PROPOSE:
        return Hold(PROPOSE, PROPOSED)
    return _find_closed_gate(state, execution, gate, at)


def find_late_hold(state: Investigating, call: ToolCallState, gate: ActionGate, at: datetime) -> Hold | None:
    """Why a call is not granted or approved, though it was free to run when its agent asked for it."""
    execution = state.executions.get(call.requested.execution_id)
    return None if call.requested.read_only else _find_closed_gate(state, execution, gate, at)


def _find_closed_gate(state: Investigating, execution: Execution | None, gate: ActionGate, at: datetime) -> Hold | None:
    if gate.paused_by:
        comment = f" The comment: {gate.comment}" if gate.comment else ""
        return Hold(PAUSE, f"{gate.paused_by} has paused all actions.{comment} The call did not run.")
    chain = state.started.chain
    most = chain.actions_per_hour if execution is not None and mode_of(state, execution) else 0
    if not most:
        return None
    own = sum(granted_at >= at - HOUR for _, granted_at in list_granted(state))
    granted = max(own, gate.granted.get((chain.chain_id, workload_of(state.started.alert)), 0))
    return Hold(LIMIT, TOO_MANY.format(most=most)) if granted >= most else None


def list_granted(state: Investigating) -> Iterator[tuple[str, datetime]]:
    """The calls of agents that act which were granted, with the time; dry runs change nothing."""
    for id, call in state.calls.items():
        execution = state.executions.get(call.requested.execution_id)
        if call.claim is None or call.requested.read_only or execution is None:
            continue
        if mode_of(state, execution):
            yield id, call.claim.since


def count_grants(gate: ActionGate, before: SessionState, after: SessionState) -> ActionGate:
    """Returns the gate for what is decided next, with the grants that a decision has made of `before` into `after`."""
    if not isinstance(after, Investigating) or not after.started.chain.actions_per_hour:
        return gate
    known = {id for id, _ in list_granted(before)} if isinstance(before, Investigating) else set()
    made = sum(id not in known for id, _ in list_granted(after))
    if not made:
        return gate
    key = (after.started.chain.chain_id, workload_of(after.started.alert))
    return replace(gate, granted={**gate.granted, key: gate.granted.get(key, 0) + made})


def mode_of(state: Investigating, execution: Execution) -> ActionMode:
    """Whether the agent acts. One that was sent acts as those above it: it never does what they may only propose."""
    modes = {one.agent.action for one in (execution, *ancestors_of(state, execution))}
    return PROPOSE if PROPOSE in modes else ACT if ACT in modes else ""


def hold_call(call_id: str, hold: Hold) -> e.ToolCallCompleted:
    return answer_call(call_id, "rejected", hold.sentence).model_copy(update={"held_by": hold.held_by})
