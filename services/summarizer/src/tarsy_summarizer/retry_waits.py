"""Waits before a provider that failed is asked again. Pure."""

from collections.abc import Callable

from tarsy_llm.protocol import LlmCallError

RETRY_SECONDS = 1.0
MOST_WAIT_SECONDS = 10.0

type Wait = Callable[[LlmCallError, float], float | None]
"""From a failure and the seconds that are left to the wait before the same provider is asked again. None: do not."""


def wait_of_first_choice(problem: LlmCallError, left: float) -> float | None:
    """Another provider could be asked at once: only a short wait that this one asked for is better."""
    requested = problem.retry_after_seconds
    if problem.kind != "rate_limited" or requested is None or requested > MOST_WAIT_SECONDS or requested >= left:
        return None
    return requested


def wait_of_the_last(problem: LlmCallError, left: float) -> float | None:
    wait = max(RETRY_SECONDS, problem.retry_after_seconds or 0.0)
    return wait if problem.retryable and wait <= MOST_WAIT_SECONDS and wait < left else None
