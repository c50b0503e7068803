"""Termination: the events that end open calls, executions, stages and the session. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from tarsy_contracts import events as e
from tarsy_contracts.events.session import describe_cancel
from tarsy_contracts.messages.inputs import UnfinishedAnswer
from tarsy_session.actions.verification import find_verified_outcome
from tarsy_session.llm_failures import CANCELLED, SESSION_TIMEOUT
from tarsy_session.partial_analysis import compose_partial, has_evidence
from tarsy_session.phases import phase_of
from tarsy_session.state import Cancelled, Execution, Investigating, SessionState, Stage, ToolCallState
from tarsy_session.summary_outcomes import fail_summary

type UnfinishedAnswers = Mapping[str, UnfinishedAnswer]
"""By the id of the LLM call."""
NOTHING_SAID: UnfinishedAnswers = {}
UNKNOWN = "Outcome unknown: the call may or may not have run. Check before repeating it."


def close_cancelled(state: Investigating, cancelled: Cancelled) -> Sequence[e.Event]:
    """Closes all that is open, but waits for calls that may have run."""
    error = describe_cancel(cancelled.author, cancelled.comment)
    harmless = list(close_calls(state.calls.values(), error))
    questions = [event for execution in state.executions.values() for event in close_question(execution, error)]
    if any(call.may_have_run for call in state.calls.values()):
        return [*questions, *harmless]
    end = phase_of(state).end(state, "cancelled", error)
    return [*questions, *harmless, *_steps(state, "cancelled", error), end]


def interrupt(state: Investigating, error: str) -> list[e.Event]:
    """Closes all that is open, and ends nothing else: the session goes on with something else."""
    return list(_all(state, "cancelled", error))


def fail(state: SessionState, error: str) -> list[e.Event]:
    """Ends a session that cannot go on; nothing when it does not run."""
    if not isinstance(state, Investigating):
        return []
    return [*_all(state, "failed", error), phase_of(state).end(state, "failed", error)]


def time_out(state: Investigating, unfinished: UnfinishedAnswers = NOTHING_SAID) -> list[e.Event]:
    """Ends a session that took too long."""
    phase = phase_of(state)
    error = f"the {phase.name} took longer than {state.life.seconds:g} seconds"
    events = list(_all(state, "timed_out", error, SESSION_TIMEOUT, unfinished))
    return [*events, phase.end(state, "timed_out", error)]


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


def complete_stage(state: Investigating, stage: Stage, status: e.EndStatus, error: str) -> e.StageCompleted:
    started = stage.started
    return e.StageCompleted(
        stage_id=started.stage_id,
        index=started.index,
        name=started.name,
        status=status,
        error=error,
        action=find_verified_outcome(state, stage),
    )


def close_question(
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


def _all(
    state: Investigating,
    status: e.EndStatus,
    error: str,
    kind: str = CANCELLED,
    unfinished: UnfinishedAnswers = NOTHING_SAID,
) -> Iterator[e.Event]:
    closed = [
        one for execution in state.executions.values() for one in close_question(execution, error, kind, unfinished)
    ]
    yield from closed
    calls = state.calls.values()
    ended = [*close_calls(calls, error), *end_may_have_run(calls, f"{error[:1].upper()}{error[1:]}.")]
    yield from map(_mark_timed_out, ended) if status == "timed_out" else ended
    yield from _steps(_with_failures(state, closed), status, error)


def _mark_timed_out(event: e.Event) -> e.Event:
    if isinstance(event, e.ToolCallCompleted | e.SummaryFailed):
        return event.model_copy(update={"timed_out": True})
    return event


def _with_failures(state: Investigating, failures: Iterable[e.LlmCallFailed]) -> Investigating:
    """The words of an answer that did not come are what its agent said last."""
    executions = dict(state.executions)
    for failed in failures:
        execution = executions[failed.execution_id]
        executions[execution.id] = replace(execution, retries=replace(execution.retries, failed=failed))
    return replace(state, executions=executions)


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
        yield complete_stage(state, stage, status, error)
