"""Termination: the events that end open calls, executions, stages and the session. Pure."""

from collections.abc import Iterable, Iterator, Sequence

from tarsy_contracts import events as e
from tarsy_session.llm_failures import CANCELLED
from tarsy_session.partial_analysis import compose_partial, has_evidence
from tarsy_session.state import Ending, Execution, Investigating, SessionState, ToolCallState
from tarsy_session.state_queries import final_analysis, partial_reason
from tarsy_session.summary_outcomes import fail_summary
from tarsy_session.withheld_tools import evidence_limits

UNKNOWN = "Outcome unknown: the call may or may not have run. Check before repeating it."


def close_cancelled(state: Investigating, author: str) -> Sequence[e.Event]:
    """Closes all that is open, but waits for calls that may have run."""
    error = f"cancelled by {author}"
    harmless = list(close_calls(state.calls.values(), error))
    asked = [event for execution in state.executions.values() for event in close_question(execution, error)]
    if any(call.may_have_run for call in state.calls.values()):
        return [*asked, *harmless]
    end = end_of_life(state, e.SessionCancelled(author=author), "cancelled", error)
    return [*asked, *harmless, *_steps(state, "cancelled", error), end]


def fail(state: SessionState, error: str) -> list[e.Event]:
    """Ends a session that cannot go on; nothing when it does not run."""
    if not isinstance(state, Investigating):
        return []
    return [*_all(state, "failed", error), end_of_life(state, e.SessionFailed(error=error), "failed", error)]


def time_out(state: Investigating) -> list[e.Event]:
    """Ends a session that took too long. An analysis that only lacks its executive summary is kept."""
    slow = "investigation" if state.ended is None else "reply"
    error = f"the {slow} took longer than {state.life_seconds:g} seconds"
    events = list(_all(state, "timed_out", error))
    stage = state.stage
    if stage is not None and stage.started.stage_type == "exec_summary":
        return [*events, complete(state, executive_summary_error=error)]
    return [*events, end_of_life(state, e.SessionTimedOut(error=error), "timed_out", error)]


def complete(
    state: Investigating, *, executive_summary: str = "", executive_summary_error: str = ""
) -> e.SessionCompleted:
    """Returns the end of an investigation with an analysis, and with what that analysis could not rest on."""
    return e.SessionCompleted(
        final_analysis=final_analysis(state),
        executive_summary=executive_summary,
        executive_summary_error=executive_summary_error,
        partial_reason=partial_reason(state),
        evidence_limits=evidence_limits(state),
    )


def end_of_life(state: Investigating, ending: Ending, status: e.EndStatus, error: str) -> Ending | e.ReplyCompleted:
    """Returns the last event of this life. A reply leaves the investigation as it ended."""
    question = state.life.question
    if question is None:
        return ending
    asked = question.asked
    return e.ReplyCompleted(message_id=asked.message_id, stage_id=asked.stage_id, status=status, error=error)


def end_execution(
    execution: Execution, status: e.EndStatus, *, final_analysis: str = "", error: str = "", partial_reason: str = ""
) -> e.ExecutionCompleted:
    started = execution.started
    last = execution.turns[-1].requested.purpose if execution.turns else "iteration"
    return e.ExecutionCompleted(
        execution_id=started.execution_id,
        stage_id=started.stage_id,
        agent=started.agent,
        index=started.index,
        status=status,
        final_analysis=final_analysis,
        error=error,
        iterations=execution.iteration,
        forced_conclusion=last == "conclusion",
        stage_type=execution.stage_type,
        partial_reason=partial_reason,
    )


def close_question(
    execution: Execution, error: str, kind: str = CANCELLED, *, retryable: bool = False
) -> Iterator[e.LlmCallFailed]:
    """Ends the LLM call that is owed, if any."""
    if execution.waiting_for is not None:
        yield e.LlmCallFailed(
            llm_call_id=execution.waiting_for.requested.llm_call_id,
            execution_id=execution.id,
            error=error,
            retryable=retryable,
            kind=kind,
        )


def close_calls(calls: Iterable[ToolCallState], error: str, *, timed_out: bool = False) -> Iterator[e.Event]:
    """Ends what is open and harmless: summaries, and calls that were never granted or may run twice."""
    for call in calls:
        call_id = call.requested.call_id
        if call.waits_for_person:
            yield e.ToolCallApprovalDecided(call_id=call_id, outcome="cancelled")
        if call.open and not call.may_have_run:
            yield e.ToolCallCompleted(call_id=call_id, outcome="cancelled", content=error, timed_out=timed_out)
        elif call.summary is not None and call.summary.ended is None:
            yield fail_summary(call, call.summary, error)


def end_may_have_run(calls: Iterable[ToolCallState], why: str) -> Iterator[e.Event]:
    """Ends calls that may have run: their outcome is unknown."""
    for call in calls:
        if call.may_have_run:
            yield e.ToolCallCompleted(
                call_id=call.requested.call_id,
                outcome="unknown",
                content=f"{why} {UNKNOWN}",
                claim_id=call.claim.claim_id if call.claim else None,
            )


def _all(state: Investigating, status: e.EndStatus, error: str) -> Iterator[e.Event]:
    for execution in state.executions.values():
        yield from close_question(execution, error)
    yield from close_calls(state.calls.values(), error, timed_out=status == "timed_out")
    yield from end_may_have_run(state.calls.values(), f"{error[:1].upper()}{error[1:]}.")
    yield from _steps(state, status, error)


def _end_early(state: Investigating, execution: Execution, status: e.EndStatus, error: str) -> e.ExecutionCompleted:
    """Keeps what the agent has found, also where the session ends with it."""
    if not has_evidence(execution):
        return end_execution(execution, status, error=error)
    found = compose_partial(state, execution, error)
    return end_execution(execution, status, error=error, final_analysis=found, partial_reason=error)


def _steps(state: Investigating, status: e.EndStatus, error: str) -> Iterator[e.Event]:
    for execution in state.executions.values():
        if execution.open:
            yield _end_early(state, execution, status, error)
    stage = state.stage
    if stage is not None and stage.open:
        started = stage.started
        yield e.StageCompleted(
            stage_id=started.stage_id, index=started.index, name=started.name, status=status, error=error
        )
