"""Termination: the events that end open calls, executions, stages and the session. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from tarsy_contracts import events as e
from tarsy_contracts.events.session import describe_cancel
from tarsy_session.actions.verification import find_verified_outcome
from tarsy_session.executions.end import (
    NOTHING_SAID,
    UnfinishedAnswers,
    close_calls,
    close_question,
    end_early,
    end_may_have_run,
)
from tarsy_session.llm_failures import CANCELLED, SESSION_TIMEOUT
from tarsy_session.phases import phase_of
from tarsy_session.state import Cancelled, Investigating, SessionState, Stage


def close_cancelled(state: Investigating, cancelled: Cancelled) -> Sequence[e.Event]:
    """Closes all that is open, but waits for calls that may have run."""
    error = describe_cancel(cancelled.author, cancelled.comment)
    harmless = list(close_calls(state.calls.values(), error))
    questions = [event for execution in state.executions.values() for event in close_question(state, execution, error)]
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


def _all(
    state: Investigating,
    status: e.EndStatus,
    error: str,
    kind: str = CANCELLED,
    unfinished: UnfinishedAnswers = NOTHING_SAID,
) -> Iterator[e.Event]:
    closed = [
        one
        for execution in state.executions.values()
        for one in close_question(state, execution, error, kind, unfinished)
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


def _steps(state: Investigating, status: e.EndStatus, error: str) -> Iterator[e.Event]:
    for execution in state.executions.values():
        if execution.open:
            yield end_early(state, execution, status, error)
    stage = state.stage
    if stage is not None and stage.open:
        yield complete_stage(state, stage, status, error)
