"""How an execution's conversation with its model moves on. Pure; None for an event that makes no sense here."""

from dataclasses import replace
from datetime import timedelta

from tarsy_contracts import events as e
from tarsy_contracts.chain import CallLimits
from tarsy_contracts.recorded import Recorded
from tarsy_orchestrator.session.evolve_stages import with_execution
from tarsy_orchestrator.session.llm_retry import ITERATION_TIMEOUT
from tarsy_orchestrator.session.state import Asked, Execution, Investigating, Tries, Turn

type LlmEvent = e.LlmCallRequested | e.LlmCallCompleted | e.LlmCallFailed


def llm_event(state: Investigating, event: LlmEvent, record: Recorded) -> Investigating | None:
    execution = state.executions.get(event.execution_id)
    if execution is None:
        return None
    match event:
        case e.LlmCallRequested():
            after = _asked(execution, event, record, state.started.chain.limits)
        case e.LlmCallCompleted():
            if execution.waiting_for is None:
                return None
            after = _answered(execution, execution.waiting_for.requested, event)
        case e.LlmCallFailed():
            after = _failed(execution, event)
    return with_execution(state, after)


def fell_back(state: Investigating, event: e.ProviderFellBack) -> Investigating | None:
    """Another provider begins with a clean sheet; its question is another attempt of the same iteration."""
    execution = state.executions.get(event.execution_id)
    if execution is None:
        return None
    tries = replace(execution.tries, failures=0, waited_seconds=0.0)
    other = replace(execution, llm_provider=event.to_provider, fallbacks=execution.fallbacks + 1, tries=tries)
    return with_execution(state, other)


def _asked(execution: Execution, event: e.LlmCallRequested, record: Recorded, limits: CallLimits) -> Execution:
    """A pause that a provider asked for does not count as time of the iteration."""
    wait = timedelta(seconds=event.wait_seconds)
    asked = Asked(event, not_before=record.appended_at + wait)
    if event.iteration != execution.iteration or execution.deadline is None:
        end = record.appended_at + timedelta(seconds=limits.iteration_seconds)
        tries = Tries(attempt=event.attempt, failed=execution.tries.failed)
        return replace(
            execution,
            waiting_for=asked,
            iteration=event.iteration,
            deadline=end,
            iteration_since=record.appended_at,
            tries=tries,
        )
    tries = replace(execution.tries, attempt=event.attempt)
    if not event.rate_limited:
        return replace(execution, waiting_for=asked, tries=tries)
    tries = replace(tries, waited_seconds=tries.waited_seconds + event.wait_seconds)
    return replace(execution, waiting_for=asked, tries=tries, deadline=execution.deadline + wait)


def _answered(execution: Execution, requested: e.LlmCallRequested, answer: e.LlmCallCompleted) -> Execution:
    turns = (*execution.turns, Turn(requested=requested, answer=answer))
    return replace(execution, waiting_for=None, turns=turns, timeouts=0, tries=Tries(attempt=requested.attempt))


def _failed(execution: Execution, failed: e.LlmCallFailed) -> Execution:
    """That a provider has too much to do does not count as a failure of it."""
    counts = 0 if failed.kind == "rate_limited" else 1
    tries = replace(execution.tries, failed=failed, failures=execution.tries.failures + counts)
    timeouts = execution.timeouts + (failed.kind == ITERATION_TIMEOUT)
    return replace(execution, waiting_for=None, tries=tries, timeouts=timeouts)
