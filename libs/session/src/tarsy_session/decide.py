"""Decisions: the events that follow from an input. Pure; nothing when the input has been decided already.

A decision is what the input itself brings, and then whatever follows by itself in the state that this makes
(transitions.py), until nothing more does.
"""

from typing import assert_never

from tarsy_contracts import events as e
from tarsy_contracts.messages import inputs as i
from tarsy_session.deadlines import decide_deadline
from tarsy_session.decision_input import DecisionInput
from tarsy_session.decisions.alerts import repeat, resolve, resolve_while_open, start
from tarsy_session.decisions.approvals import decide_approval, refuse_at_rest
from tarsy_session.decisions.budgets import decide_budget, extend_at_rest
from tarsy_session.decisions.calls import (
    decide_claim,
    decide_late_outcome,
    decide_release,
    decide_summary_report,
    decide_tool_report,
    decide_worker_death,
)
from tarsy_session.decisions.chat import ALREADY_ENDED, ask_at_rest, ask_while_open, cancel, refuse
from tarsy_session.decisions.deletion import delete
from tarsy_session.decisions.llm import decide_llm_report
from tarsy_session.decisions.memories import change_memory
from tarsy_session.decisions.reviews import decide_review
from tarsy_session.decisions.scores import score_at_rest, score_while_open
from tarsy_session.lookahead import LookaheadStep, look_ahead
from tarsy_session.phases import phase_of
from tarsy_session.skills import record_skills
from tarsy_session.stages import list_wanted_servers, start_executions
from tarsy_session.state import AtRest, Investigating, NotStarted, SessionState, Unsupported
from tarsy_session.transitions import next_events


def decide(session_id: str, state: SessionState, context: DecisionInput) -> list[e.Event]:
    """Never raises. `[]` also for what comes too late, or makes no sense in this state."""
    return [step.event for step in decide_steps(session_id, state, context)]


def decide_steps(session_id: str, state: SessionState, context: DecisionInput) -> list[LookaheadStep]:
    """Returns the decision, with the state that each of its events will make."""
    if context.offset is not None and context.offset <= state.last_decided_offset:
        return []
    steps = look_ahead(session_id, state, _direct(session_id, state, context), context)
    while steps and (more := next_events(steps[-1].after, context.at, context.downtime, context.spendings)):
        steps += look_ahead(session_id, steps[-1].after, more, context)
    return steps


def _direct(session_id: str, state: SessionState, context: DecisionInput) -> list[e.Event]:
    match state:
        case NotStarted():
            return _open(state, context)
        case Investigating():
            return _investigating(session_id, state, context)
        case AtRest():
            return _ended(session_id, state, context)
        case Unsupported():
            return []
    assert_never(state)


def _open(state: NotStarted, context: DecisionInput) -> list[e.Event]:
    if not isinstance(context.input, i.AlertReceived) or context.chain is None:
        return []
    started = start(state, context.input, context.chain, context)
    skills = record_skills(context.chain, started.alert.alert_type, context.skills)
    return [started] if skills is None else [started, skills]


def _investigating(  # noqa: C901 - one case an input
    session_id: str, state: Investigating, context: DecisionInput
) -> list[e.Event]:
    match context.input:
        case i.AlertReceived():
            return repeat(session_id, state, context.input, context)
        case i.AlertResolutionReported():
            return resolve_while_open(session_id, state, context.input, context)
        case i.SessionAdmitted():
            return _begin(state)
        case i.ToolsOffered():
            return _offered(state, context.input, context)
        case i.LlmCallReported():
            return decide_llm_report(state, context.input, context.at, context.actions, context.spendings)
        case i.CallClaimed():
            return decide_claim(state, context.input, context.at, context.actions)
        case i.CallNotStarted():
            return decide_release(state, context.input.call_id, context.input.claim_id, context.input.reason)
        case i.ToolCallReported():
            return decide_tool_report(state, context.input)
        case i.SummaryReported():
            return decide_summary_report(state, context.input, context.at, context.spendings)
        case i.WorkerDied():
            return decide_worker_death(state, context.input)
        case i.DeadlinePassed():
            return decide_deadline(state, context.input, context.at, context.downtime)
        case i.CancelRequested():
            return cancel(state, context.input)
        case i.ChatRequested():
            return ask_while_open(session_id, state, context.input)
        case i.CallDecisionRequested():
            return decide_approval(state, context.input, context.at, context.actions)
        case i.BudgetDecisionRequested():
            return decide_budget(state, context.input)
        case i.ReviewRequested():
            return decide_review(state, context.input)
        case i.ScoreRequested():
            return score_while_open(state, context.input)
        case i.MemoryChangeRequested():
            return change_memory(state, context.input)
        case i.SessionDeleteRequested():
            return delete(state, context.input)
        case i.SessionReleaseRequested() | i.SessionFailRequested():
            return []  # operator_requests.py decides these, also where nothing else can be decided
    assert_never(context.input)


def _ended(  # noqa: C901 - one case an input
    session_id: str, state: AtRest, context: DecisionInput
) -> list[e.Event]:
    match context.input:
        case i.AlertReceived():
            return repeat(session_id, state, context.input, context)
        case i.AlertResolutionReported():
            return resolve(session_id, state, context.input, context)
        case i.ToolCallReported():
            return decide_late_outcome(state.calls.get(context.input.call_id), context.input)
        case i.CancelRequested():
            if context.input.request_id in state.answers:
                return []
            return [refuse(context.input, e.CANCEL, 409, ALREADY_ENDED)]
        case i.ChatRequested():
            return ask_at_rest(session_id, state, context.input, context.spans)
        case i.CallDecisionRequested():
            return refuse_at_rest(state, context.input)
        case i.BudgetDecisionRequested():
            return extend_at_rest(state, context.input)
        case i.ReviewRequested():
            return decide_review(state, context.input)
        case i.ScoreRequested():
            return score_at_rest(state, context.input)
        case i.MemoryChangeRequested():
            return change_memory(state, context.input)
        case i.SessionDeleteRequested():
            return delete(state, context.input)
        case _:
            return []


def _begin(state: Investigating) -> list[e.Event]:
    """Its turn has come."""
    if state.life.began_at is not None or state.cancelled is not None:
        return []
    return list(phase_of(state).start(state))


def _offered(state: Investigating, offered: i.ToolsOffered, context: DecisionInput) -> list[e.Event]:
    stage = state.stage
    if stage is None or stage.started.stage_id != offered.stage_id or not list_wanted_servers(state):
        return []
    if state.cancelled is not None:
        return []
    started = start_executions(
        state, stage, context.at, tools=offered.tools, unavailable_servers=offered.unavailable_servers
    )
    return list(started)
