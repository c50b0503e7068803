"""Ends of executions and of what they have open, as events. Pure."""

from collections.abc import Iterable, Iterator, Mapping

from tarsy_contracts import events as e
from tarsy_contracts.messages.inputs import UnfinishedAnswer
from tarsy_session.llm_failures import CANCELLED
from tarsy_session.partial_analysis import compose_partial, has_evidence
from tarsy_session.state import Execution, Investigating, ToolCallState
from tarsy_session.state.sources import with_known_numbers
from tarsy_session.summary_outcomes import fail_summary

type UnfinishedAnswers = Mapping[str, UnfinishedAnswer]
"""By the id of the LLM call."""
NOTHING_SAID: UnfinishedAnswers = {}
UNKNOWN = "Outcome unknown: the call may or may not have run. Check before repeating it."


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
    state: Investigating,
    execution: Execution,
    error: str,
    kind: str = CANCELLED,
    unfinished: UnfinishedAnswers = NOTHING_SAID,
    *,
    retryable: bool = False,
) -> Iterator[e.LlmCallFailed]:
    """Ends the LLM call that is owed, if any, and keeps what it had said."""
    if execution.waiting_for is not None:
        id = execution.waiting_for.requested.llm_call_id
        words = unfinished.get(id)
        yield e.LlmCallFailed(
            llm_call_id=id,
            execution_id=execution.id,
            error=error,
            retryable=retryable,
            kind=kind,
            thinking="" if words is None else words.thinking,
            text="" if words is None else words.text,
            native_calls=() if words is None else with_known_numbers(state, words.native_calls),
        )


def close_calls(calls: Iterable[ToolCallState], error: str) -> Iterator[e.Event]:
    """Ends what is open and harmless: summaries, and calls that were never granted or may run twice."""
    for call in calls:
        call_id = call.requested.call_id
        if call.waits_for_person:
            yield e.ToolCallApprovalDecided(call_id=call_id, outcome="cancelled")
        if call.open and not call.may_have_run:
            yield e.ToolCallCompleted(call_id=call_id, outcome="cancelled", content=error)
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


def close_execution(
    state: Investigating,
    execution: Execution,
    status: e.EndStatus,
    error: str,
    kind: str = CANCELLED,
    unfinished: UnfinishedAnswers = NOTHING_SAID,
) -> Iterator[e.Event]:
    """Ends one execution in the middle of its work, with all that it has open. Its sub-agents follow by themselves."""
    yield from close_question(state, execution, error, kind, unfinished)
    calls = [state.calls[id] for turn in execution.turns for id in turn.calls]
    yield from close_calls(calls, error)
    yield from end_may_have_run(calls, f"{error[:1].upper()}{error[1:]}.")
    yield end_early(state, execution, status, error)


def end_early(state: Investigating, execution: Execution, status: e.EndStatus, error: str) -> e.ExecutionCompleted:
    """Keeps what the agent has found, also where the session ends with it."""
    if not has_evidence(execution):
        return end_execution(execution, status, error=error)
    found = compose_partial(state, execution, error)
    return end_execution(execution, status, error=error, final_analysis=found, partial_reason=error)
