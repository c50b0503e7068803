"""Model calls of one summary, with fallback: the provider that was named, then those that stand in for it."""

from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime

import structlog

from tarsy_bus.publisher import Publisher
from tarsy_contracts.conversation import Conversation
from tarsy_contracts.requests import SummaryRequest
from tarsy_llm.protocol import Answer, Llm, LlmCallError, LlmRequest
from tarsy_llm.scripted import Sleep
from tarsy_masking.masker import Masker
from tarsy_masking.streaming import MaskedStream
from tarsy_summarizer.metrics import Metrics
from tarsy_summarizer.summary_stream import SummaryStream

log = structlog.get_logger(__name__)

AGENT = "Summarizer"
RETRY_SECONDS = 1.0
MOST_WAIT_SECONDS = 10.0
REASON_CHARACTERS = 400
REASONS_CHARACTERS = 2_000

type Wait = Callable[[LlmCallError, float], float | None]
"""From a failure and the seconds that are left to the wait before the same provider is asked again. None: do not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The providers that can be asked, and what a call of them needs. `monotonic` and `sleep` count the same seconds.

    `masker` is not that of a session: each use makes it one.
    """

    llms: Mapping[str, Llm]
    publisher: Publisher
    masker: Masker
    now: Callable[[], datetime]
    monotonic: Callable[[], float]
    sleep: Sleep
    metrics: Metrics


class ModelFallback:
    """The calls of one summary. `ends_at`: nobody waits for it after that."""

    def __init__(self, models: Models, request: SummaryRequest, *, ends_at: float) -> None:
        self._models = models
        self._request = request
        self._mask = models.masker.for_session(request.session_id).mask
        self._ends_at = ends_at
        self._named = tuple(dict.fromkeys((request.llm_provider, *request.fallback_providers)))
        self._run = 0
        self._failures: dict[str, str] = {}

    async def answer(self, asked: Conversation) -> Answer | None:
        """None when nobody gave one; `reasons` has why."""
        wanted = LlmRequest(agent=AGENT, iteration=1, conversation=asked, answer_tokens=self._request.max_tokens)
        last = next((name for name in reversed(self._named) if name in self._models.llms), None)
        for provider in self._named:
            try:
                return await self._ask(provider, wanted, wait_of_the_last if provider == last else wait_of_first_choice)
            except LlmCallError as problem:
                self._note(provider, problem)
        return None

    def reasons(self) -> list[str]:
        """Why each provider that was asked gave no summary, masked and short."""
        if len(self._named) == 1:
            return list(self._failures.values())
        return [f"{provider}: {reason}" for provider, reason in self._failures.items()]

    async def _ask(self, provider: str, wanted: LlmRequest, wait: Wait) -> Answer:
        """Raises LlmCallError."""
        if provider not in self._models.llms:
            raise LlmCallError(f"the LLM provider {provider} is not configured here", kind="invalid_request")
        try:
            return await self._once(provider, wanted)
        except LlmCallError as problem:
            seconds = wait(problem, self._ends_at - self._models.monotonic())
            if seconds is None:
                raise
            self._note(provider, problem)
        await self._models.sleep(seconds)
        return await self._once(provider, wanted)

    async def _once(self, provider: str, wanted: LlmRequest) -> Answer:
        """Raises LlmCallError. A later run replaces what an earlier one has streamed."""
        self._run = max(self._run + 1, round(self._models.now().timestamp() * 1000))
        try:
            answer = await self._stream(self._models.llms[provider], wanted)
        except LlmCallError as problem:
            self._models.metrics.asked(provider, problem.kind)
            raise
        self._models.metrics.asked(provider, "ok")
        return answer

    async def _stream(self, llm: Llm, wanted: LlmRequest) -> Answer:
        chunks = SummaryStream(self._models.publisher, self._request, MaskedStream(self._mask), run=self._run)
        async with aclosing(llm.stream(wanted)) as stream:
            async for part in stream:
                if isinstance(part, Answer):
                    await chunks.finish()
                    return require_text(part)
                if part.part == "text":
                    await chunks.take(part.text)
        raise LlmCallError("the model ended without an answer", kind="cut_off")

    def _note(self, provider: str, problem: LlmCallError) -> None:
        reason = shortened(self._mask(str(problem)), REASON_CHARACTERS)
        self._failures[provider] = reason
        call_id = self._request.call_id
        log.warning("summary.provider_failed", call_id=call_id, provider=provider, kind=problem.kind, error=reason)


def wait_of_first_choice(problem: LlmCallError, left: float) -> float | None:
    """Another provider could be asked at once: only a short wait that this one asked for is better."""
    asked = problem.retry_after_seconds
    if problem.kind != "rate_limited" or asked is None or asked > MOST_WAIT_SECONDS or asked >= left:
        return None
    return asked


def wait_of_the_last(problem: LlmCallError, left: float) -> float | None:
    wait = max(RETRY_SECONDS, problem.retry_after_seconds or 0.0)
    return wait if problem.retryable and wait <= MOST_WAIT_SECONDS and wait < left else None


def require_text(answer: Answer) -> Answer:
    """Raises LlmCallError."""
    if not answer.text.strip():
        raise LlmCallError("the model answered with nothing", kind="provider_error")
    return answer


def shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} ..."
