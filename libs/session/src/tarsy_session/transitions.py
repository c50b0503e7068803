"""Transitions: the events that follow by themselves from a state that has just changed. Pure."""

from collections.abc import Sequence
from datetime import datetime
from typing import assert_never

from tarsy_contracts import events as e
from tarsy_contracts.wire.ids import llm_call_id
from tarsy_session.actions.dry_runs import end_tried_calls
from tarsy_session.actions.verification import is_under_way
from tarsy_session.builtin_tools import run_calls
from tarsy_session.controllers import describe_unknown_controller
from tarsy_session.conversations.context_limit import shorten_further, shorten_in_time
from tarsy_session.decide_phases import request_due_phase
from tarsy_session.decision_input import NO_SPENDINGS, Spendings
from tarsy_session.downtime import NO_DOWNTIME, Downtime
from tarsy_session.executions.budget_check import explain_end, keep_in_budget
from tarsy_session.executions.children import has_open_children, is_orphan, was_told_since
from tarsy_session.executions.end import close_execution, end_execution
from tarsy_session.executions.limits import conclude_in_budget
from tarsy_session.llm_failures import CONTEXT_FULL, ITERATION_TIMEOUT, MAY_CONCLUDE, TOOLS_REFUSED
from tarsy_session.llm_retry import Fail, Retry, UseFallback, after_failure
from tarsy_session.partial_analysis import compose_partial, has_evidence
from tarsy_session.phases import phase_of
from tarsy_session.prompts.notes import NUDGE
from tarsy_session.stages import end_stage, start_without_tools
from tarsy_session.state import AtRest, Execution, Investigating, SessionState, Stage, Turn
from tarsy_session.summaries import next_summaries
from tarsy_session.termination import close_cancelled
from tarsy_session.time_budget import CONCLUDED_EARLY, conclude_in_time
from tarsy_session.tools.refused_tools import find_refused_tools

BLANK_ANSWERS = 3
"""Number of answers in a row without a word or a call that ends the execution."""
TIMEOUTS = 2
"""Number of iterations in a row over their limit that ends the execution."""

EARLY_ENDS = {
    e.TIME_BUDGET: CONCLUDED_EARLY,
    e.TOKEN_BUDGET: f"{e.TOKEN_BUDGET}: the tokens for sub-agents were used up",
}
"""Why an analysis came early, by the `reason` of its question."""
CUT = "the answer was cut at the limit of its output tokens"


def next_events(
    state: SessionState, at: datetime, downtime: Downtime = NO_DOWNTIME, spendings: Spendings = NO_SPENDINGS
) -> Sequence[e.Event]:
    """Returns the next events that the state itself brings; empty when it waits for an input."""
    match state:
        case Investigating():
            events = conclude_in_time(state, conclude_in_budget(state, _next_events(state, at)), at, downtime)
            return keep_in_budget(state, events, at, downtime, spendings)
        case AtRest():
            return request_due_phase(state)
        case _:
            return []


def _next_events(state: Investigating, at: datetime) -> Sequence[e.Event]:
    if state.cancelled is not None:
        return close_cancelled(state, state.cancelled)
    phase, stage = phase_of(state), state.stage
    if state.life.began_at is None:
        return phase.start(state) if phase.admission is None else []
    if stage is None:
        return []
    if stage.completed is not None:
        return phase.follow(state, stage, stage.completed)
    if not stage.executions:
        return start_without_tools(state, stage, at)
    return _in_stage(state, stage)


def _in_stage(state: Investigating, stage: Stage) -> Sequence[e.Event]:
    executions = state.all_executions_of(stage)
    events = [event for one in executions if one.open for event in _step(state, one)]
    if events or any(one.open for one in executions) or is_under_way(state, stage):
        return events
    return [end_stage(state, stage)]


def _step(state: Investigating, execution: Execution) -> Sequence[e.Event]:
    if is_orphan(state, execution):
        return list(close_execution(state, execution, "cancelled", "the agent that sent it has ended"))
    if events := end_tried_calls(state, execution) or run_calls(state, execution) or next_summaries(state, execution):
        return events
    if execution.waiting_for is not None:
        return []
    if problem := describe_unknown_controller(execution.agent.controller):
        return [end_execution(execution, "failed", error=problem)]
    if execution.retries.failed is not None:
        return _after_failure(state, execution, execution.retries.failed)
    return _after_turn(state, execution)


def _after_failure(state: Investigating, execution: Execution, failed: e.LlmCallFailed) -> Sequence[e.Event]:
    if failed.kind == ITERATION_TIMEOUT:
        if execution.timeouts >= TIMEOUTS:
            error = f"{TIMEOUTS} iterations in a row took too long"
            if has_evidence(execution):
                return [_end_partially(state, execution, error)]
            return [end_execution(execution, "timed_out", error=error)]
        return [_ask(state, execution, execution.iteration + 1)]
    if failed.kind == e.TIME_BUDGET:
        return [_ask(state, execution, execution.iteration + 1)]
    if (shorter := _request_that_fits(state, execution, failed)) is not None:
        return [shorter]
    following = after_failure(execution, failed, state.started.chain.limits)
    match following:
        case Retry(wait_seconds, rate_limited):
            return [_ask_again(execution, wait_seconds, rate_limited=rate_limited)]
        case UseFallback(provider):
            fell_back = e.ProviderFellBack(
                execution_id=execution.id,
                from_provider=execution.llm_provider,
                to_provider=provider,
                kind=failed.kind,
                error=failed.error,
            )
            return [fell_back, _ask_again(execution, 0.0, provider=provider)]
        case Fail(error):
            return [_conclude_or_end(state, execution, failed, error)]
    assert_never(following)


def _request_that_fits(
    state: Investigating, execution: Execution, failed: e.LlmCallFailed
) -> e.LlmCallRequested | None:
    """Returns the same question in a form that the provider may take; None where it refused something else."""
    again = _ask_again(execution, 0.0)
    if failed.kind == CONTEXT_FULL and (shorter := shorten_further(state, execution)) is not None:
        return again.model_copy(update={"shortened": shorter})
    if failed.kind == TOOLS_REFUSED and (names := find_refused_tools(execution, failed)):
        return again.model_copy(update={"tools_left_out": names})
    return None


def _conclude_or_end(
    state: Investigating, execution: Execution, failed: e.LlmCallFailed, error: str
) -> e.LlmCallRequested | e.ExecutionCompleted:
    """Asks for a conclusion where less than all may be answered; then what there is becomes the analysis."""
    if not has_evidence(execution):
        return end_execution(execution, "failed", error=error)
    if failed.kind in MAY_CONCLUDE and execution.iteration <= execution.agent.max_iterations:
        return _ask(state, execution, execution.agent.max_iterations + 1)
    return _end_partially(state, execution, error)


def _end_partially(state: Investigating, execution: Execution, reason: str) -> e.ExecutionCompleted:
    analysis = compose_partial(state, execution, reason)
    return end_execution(execution, "completed", final_analysis=analysis, partial_reason=reason)


def _after_turn(state: Investigating, execution: Execution) -> Sequence[e.Event]:
    if not execution.turns:
        return [_ask(state, execution, 1)]
    turn = execution.turns[-1]
    if not all(state.calls[call_id].result_ready for call_id in turn.calls):
        return []
    told, waits = was_told_since(state, execution), has_open_children(state, execution)
    if _may_wait(turn) and turn.requested.purpose != "conclusion" and (told or waits):
        return [_ask_on(state, execution)] if told else []
    if analysis := turn.final_answer:
        reason = _early_end(state, execution, turn)
        if turn.answer.cut:
            analysis = f"{analysis}\n\n**Partial analysis.** It ends here because {CUT}."
        return [end_execution(execution, "completed", final_analysis=analysis, partial_reason=reason)]
    if _blank_answers(execution) >= BLANK_ANSWERS:
        if has_evidence(execution):
            return [_end_partially(state, execution, _blank_reason(execution))]
        return [end_execution(execution, "failed", error="the model gave no answer")]
    if waits and execution.iteration >= execution.agent.max_iterations:
        return []  # its conclusion is to have all results
    return [_ask(state, execution, execution.iteration + 1)]


def _may_wait(turn: Turn) -> bool:
    """Whether it has a final answer, or is empty: neither wants anything now."""
    return bool(turn.final_answer) or not (turn.calls or turn.answer.tool_calls or turn.answer.reminder != NUDGE)


def _ask_on(state: Investigating, execution: Execution) -> e.LlmCallRequested:
    """Asks in the same iteration: that it has waited costs none."""
    question = _question(execution, execution.iteration, execution.retries.attempt + 1)
    return question.model_copy(update={"shortened": shorten_in_time(state, execution)})


def _early_end(state: Investigating, execution: Execution, turn: Turn) -> str:
    """Why an analysis is less than whole; empty where the agent ended by itself."""
    if turn.answer.cut:
        return CUT
    if turn.requested.reason == e.BUDGET:
        return explain_end(state, execution) or e.BUDGET
    return EARLY_ENDS.get(turn.requested.reason, "")


def _blank_reason(execution: Execution) -> str:
    if execution.turns[-1].answer.thinking.strip():
        return "the model put all that it had to say into its thoughts (see the reasoning parser of the model server)"
    return "the model gave no answer"


def _ask(state: Investigating, execution: Execution, iteration: int) -> e.LlmCallRequested:
    """Asks the model; past the last iteration without tools, to conclude."""
    question = _question(execution, iteration, attempt=1)
    return question.model_copy(update={"shortened": shorten_in_time(state, execution)})


def _ask_again(
    execution: Execution, wait_seconds: float, *, rate_limited: bool = False, provider: str = ""
) -> e.LlmCallRequested:
    """Asks again: another attempt of the same iteration."""
    question = _question(execution, execution.iteration, execution.retries.attempt + 1)
    changes = {
        "llm_provider": provider or execution.llm_provider,
        "wait_seconds": wait_seconds,
        "rate_limited": rate_limited,
    }
    return question.model_copy(update=changes)


def _question(execution: Execution, iteration: int, attempt: int) -> e.LlmCallRequested:
    return e.LlmCallRequested(
        llm_call_id=llm_call_id(execution.id, iteration, attempt),
        execution_id=execution.id,
        iteration=iteration,
        attempt=attempt,
        purpose="iteration" if iteration <= execution.agent.max_iterations else "conclusion",
        llm_provider=execution.llm_provider,
    )


def _blank_answers(execution: Execution) -> int:
    count = 0
    for turn in reversed(execution.turns):
        if turn.calls or turn.answer.text.strip():
            break
        count += 1
    return count
