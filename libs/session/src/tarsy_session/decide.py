"""Decisions: the events that follow from an input. Pure; nothing when the input has been decided already.

A decision is what the input itself brings, and then whatever follows by itself in the state that this makes
(transitions.py), until nothing more does.
"""

from typing import assert_never

from tarsy_contracts import events as e
from tarsy_contracts import inputs as i
from tarsy_session.deadlines import decide_deadline
from tarsy_session.decide_alerts import repeat, resolve, resolve_while_open, start
from tarsy_session.decide_approvals import decide_approval, refuse_at_rest
from tarsy_session.decide_calls import (
    decide_claim,
    decide_late_outcome,
    decide_release,
    decide_summary_report,
    decide_tool_report,
    decide_worker_death,
)
from tarsy_session.decide_chat import ALREADY_ENDED, ask_at_rest, ask_while_open, cancel, refuse
from tarsy_session.decide_deletion import delete
from tarsy_session.decide_llm import decide_llm_report
from tarsy_session.decision_input import DecisionInput
from tarsy_session.lookahead import LookaheadStep, look_ahead
from tarsy_session.phases import phase_of
from tarsy_session.stages import start_executions, wanted_servers
from tarsy_session.state import AtRest, Investigating, NotStarted, SessionState, Unsupported
from tarsy_session.transitions import next_events


def decide(session_id: str, state: SessionState, given: DecisionInput) -> list[e.Event]:
    """Never raises. `[]` also for what comes too late, or makes no sense in this state."""
    return [step.event for step in decide_steps(session_id, state, given)]


def decide_steps(session_id: str, state: SessionState, given: DecisionInput) -> list[LookaheadStep]:
    """Returns the decision, with the state that each of its events will make."""
    if given.offset is not None and given.offset <= state.last_decided_offset:
        return []
    steps = look_ahead(session_id, state, _direct(session_id, state, given), given)
    while steps and (more := next_events(steps[-1].after, given.at, given.downtime)):
        steps += look_ahead(session_id, steps[-1].after, more, given)
    return steps


def _direct(session_id: str, state: SessionState, given: DecisionInput) -> list[e.Event]:
    match state:
        case NotStarted():
            return _open(state, given)
        case Investigating():
            return _investigating(session_id, state, given)
        case AtRest():
            return _ended(session_id, state, given)
        case Unsupported():
            return []
    assert_never(state)


def _open(state: NotStarted, given: DecisionInput) -> list[e.Event]:
    if not isinstance(given.input, i.AlertReceived) or given.chain is None:
        return []
    return [start(state, given.input, given.chain, given)]


def _investigating(  # noqa: C901 - one case an input
    session_id: str, state: Investigating, given: DecisionInput
) -> list[e.Event]:
    match given.input:
        case i.AlertReceived():
            return repeat(session_id, state, given.input, given)
        case i.AlertResolutionReported():
            return resolve_while_open(session_id, state, given.input, given)
        case i.SessionAdmitted():
            return _begin(state)
        case i.ToolsOffered():
            return _offered(state, given.input, given)
        case i.LlmCallReported():
            return decide_llm_report(state, given.input)
        case i.CallClaimed():
            return decide_claim(state, given.input)
        case i.CallNotStarted():
            return decide_release(state, given.input.call_id, given.input.claim_id, given.input.reason)
        case i.ToolCallReported():
            return decide_tool_report(state, given.input)
        case i.SummaryReported():
            return decide_summary_report(state, given.input)
        case i.WorkerDied():
            return decide_worker_death(state, given.input)
        case i.DeadlinePassed():
            return decide_deadline(state, given.input, given.at, given.downtime)
        case i.CancelRequested():
            return cancel(state, given.input)
        case i.ChatRequested():
            return ask_while_open(session_id, state, given.input)
        case i.CallDecisionRequested():
            return decide_approval(state, given.input)
        case i.SessionDeleteRequested():
            return delete(state, given.input)
        case i.SessionReleaseRequested() | i.SessionFailRequested():
            return []  # operator_requests.py decides these, also where nothing else can be decided
    assert_never(given.input)


def _ended(session_id: str, state: AtRest, given: DecisionInput) -> list[e.Event]:
    match given.input:
        case i.AlertReceived():
            return repeat(session_id, state, given.input, given)
        case i.AlertResolutionReported():
            return resolve(session_id, state, given.input, given)
        case i.ToolCallReported():
            return decide_late_outcome(state.calls.get(given.input.call_id), given.input)
        case i.CancelRequested():
            if given.input.request_id in state.answers:
                return []
            return [refuse(given.input, e.CANCEL, 409, ALREADY_ENDED)]
        case i.ChatRequested():
            return ask_at_rest(session_id, state, given.input, given.spans)
        case i.CallDecisionRequested():
            return refuse_at_rest(state, given.input)
        case i.SessionDeleteRequested():
            return delete(state, given.input)
        case _:
            return []


def _begin(state: Investigating) -> list[e.Event]:
    """Its turn has come."""
    if state.life.began_at is not None or state.cancelled is not None:
        return []
    return list(phase_of(state).start(state))


def _offered(state: Investigating, offered: i.ToolsOffered, given: DecisionInput) -> list[e.Event]:
    stage = state.stage
    if stage is None or stage.started.stage_id != offered.stage_id or not wanted_servers(state):
        return []
    if state.cancelled is not None:
        return []
    started = start_executions(
        state, stage, given.at, tools=offered.tools, unavailable_servers=offered.unavailable_servers
    )
    return list(started)
