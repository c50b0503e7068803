"""Retry policy of LLM calls: the same question again, another provider, or the end. Pure."""

from dataclasses import dataclass

from tarsy_contracts.chain import CallLimits
from tarsy_contracts.events import LlmCallFailed
from tarsy_session.controllers import controller_of
from tarsy_session.llm_failures import BROKEN, CIRCUIT_OPEN, REPETITION
from tarsy_session.state import Execution

NOT_RETRYABLE = frozenset(
    {
        "credentials",
        "invalid_request",
        "refused",
        "answer_too_long",
        "context_full",
        "tools_refused",
        BROKEN,
        CIRCUIT_OPEN,
    }
)
"""The same question to the same provider can never succeed."""
ATTEMPTS = 3
"""Number of failures in a row of one provider that end the execution, where there is no other."""
PAUSES_SECONDS = (1.0, 3.0)
"""Pauses before the second and the third attempt."""
RATE_LIMIT_PAUSES_SECONDS = (5.0, 10.0, 20.0, 40.0, 60.0)
"""Pauses where the provider does not say how long."""


@dataclass(frozen=True, slots=True)
class Retry:
    wait_seconds: float
    rate_limited: bool = False


@dataclass(frozen=True, slots=True)
class UseFallback:
    provider: str


@dataclass(frozen=True, slots=True)
class Fail:
    error: str


type RetryDecision = Retry | UseFallback | Fail


def after_failure(execution: Execution, failed: LlmCallFailed, limits: CallLimits) -> RetryDecision:
    """`execution`: its state after the failure."""
    if failed.kind == "rate_limited":
        return _decide_on_rate_limit(execution, failed, limits)
    retries = execution.retries
    if failed.kind == REPETITION:
        return Retry(0.0) if retries.failures < ATTEMPTS else Fail(failed.error)
    not_retryable = failed.kind in NOT_RETRYABLE or not failed.retryable
    if not_retryable or retries.failures >= controller_of(execution.agent.controller).attempts_before_fallback:
        other = _find_next_fallback(execution)
        if other is not None:
            return UseFallback(other)
    if not_retryable or retries.failures >= ATTEMPTS:
        return Fail(failed.error)
    return Retry(PAUSES_SECONDS[min(retries.failures, len(PAUSES_SECONDS)) - 1])


def _decide_on_rate_limit(execution: Execution, failed: LlmCallFailed, limits: CallLimits) -> RetryDecision:
    retries = execution.retries
    attempts = retries.attempt - retries.first + 1
    pause = RATE_LIMIT_PAUSES_SECONDS[min(attempts, len(RATE_LIMIT_PAUSES_SECONDS)) - 1]
    seconds = pause if failed.retry_after_seconds is None else max(failed.retry_after_seconds, 0.0)
    if retries.waited_seconds + seconds <= limits.rate_limit_seconds:
        return Retry(seconds, rate_limited=True)
    other = _find_next_fallback(execution)
    if other is not None:
        return UseFallback(other)
    return Fail(f"{failed.error} (waiting {seconds:g} seconds more would be too long)")


def _find_next_fallback(execution: Execution) -> str | None:
    return next(iter(execution.fallbacks_left), None)
