"""Evolution of an execution's conversation with its model. Pure; None for an event that makes no sense here."""

from dataclasses import replace
from datetime import timedelta
from typing import assert_never

from tarsy_contracts import events as e
from tarsy_contracts.chain import CallLimits
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_session.evolution.budgets import add_spending
from tarsy_session.evolution.stages import with_execution
from tarsy_session.llm_failures import ITERATION_TIMEOUT
from tarsy_session.state import Execution, Investigating, PendingLlmCall, RetryState, Turn
from tarsy_session.state.sources import add_sources
from tarsy_session.token_learning import learn_rates

type LlmEvent = e.LlmCallRequested | e.LlmCallCompleted | e.LlmCallFailed | e.ProviderFellBack


def apply_llm_event(state: Investigating, event: LlmEvent, record: RecordedEvent) -> Investigating | None:
    execution = state.executions.get(event.execution_id)
    if execution is None:
        return None
    match event:
        case e.LlmCallRequested():
            after = _apply_request(execution, event, record, state.started.chain.limits)
        case e.LlmCallCompleted():
            if execution.waiting_for is None:
                return None
            state = add_spending(replace(state, token_rates=learn_rates(state, execution, event)), event)
            state = add_sources(state, event.native_calls)
            after = _add_answer(execution, execution.waiting_for.requested, event)
        case e.LlmCallFailed():
            state = add_sources(add_spending(state, event), event.native_calls)
            after = _note_failure(execution, event)
        case e.ProviderFellBack():
            after = _apply_fallback(execution, event)
        case _:
            assert_never(event)
    return with_execution(state, after)


def _apply_request(
    execution: Execution, event: e.LlmCallRequested, record: RecordedEvent, limits: CallLimits
) -> Execution:
    """A pause that a provider asked for does not count as time of the iteration."""
    wait = timedelta(seconds=event.wait_seconds)
    pending = PendingLlmCall(event, not_before=record.appended_at + wait)
    execution = replace(
        execution,
        shortened=event.shortened or execution.shortened,
        left_out=execution.left_out.union(event.tools_left_out),
    )
    if event.iteration != execution.iteration or execution.deadline is None:
        end = record.appended_at + timedelta(seconds=limits.iteration_seconds)
        retries = RetryState(attempt=event.attempt, first=event.attempt, failed=execution.retries.failed)
        return replace(
            execution,
            waiting_for=pending,
            iteration=event.iteration,
            deadline=end,
            iteration_since=record.appended_at,
            retries=retries,
        )
    retries = replace(execution.retries, attempt=event.attempt)
    if not event.rate_limited:
        return replace(execution, waiting_for=pending, retries=retries)
    retries = replace(retries, waited_seconds=retries.waited_seconds + event.wait_seconds)
    return replace(execution, waiting_for=pending, retries=retries, deadline=execution.deadline + wait)


def _add_answer(execution: Execution, requested: e.LlmCallRequested, answer: e.LlmCallCompleted) -> Execution:
    turns = (*execution.turns, Turn(requested=requested, answer=answer))
    retries = RetryState(attempt=requested.attempt, first=requested.attempt + 1)
    left_out = answer.native_tools_left_out or execution.native_tools_left_out
    return replace(
        execution, waiting_for=None, turns=turns, timeouts=0, retries=retries, native_tools_left_out=left_out
    )


def _note_failure(execution: Execution, failed: e.LlmCallFailed) -> Execution:
    """A rate limit does not count as a failure of the provider."""
    counts = 0 if failed.kind == "rate_limited" else 1
    retries = replace(execution.retries, failed=failed, failures=execution.retries.failures + counts)
    timeouts = execution.timeouts + (failed.kind == ITERATION_TIMEOUT)
    contexts = execution.contexts
    if failed.context_tokens:
        contexts = {**contexts, execution.llm_provider: failed.context_tokens}
    return replace(execution, waiting_for=None, retries=retries, timeouts=timeouts, contexts=contexts)


def _apply_fallback(execution: Execution, event: e.ProviderFellBack) -> Execution:
    """The next provider begins without failures; its question is another attempt of the same iteration.

    It may take the tools that the one before refused.
    """
    retries = replace(execution.retries, failures=0, waited_seconds=0.0)
    return replace(
        execution,
        llm_provider=event.to_provider,
        fallbacks=execution.fallbacks + 1,
        retries=retries,
        left_out=frozenset(),
    )
