"""Model calls of one summary, with fallback: the provider that was named, then those that stand in for it.

One that failed in a row is asked last, and one that failed lately behind those that did not: the next summary begins
where this one found an answer.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, aclosing
from dataclasses import dataclass, field
from datetime import datetime

import structlog
from opentelemetry import trace
from opentelemetry.trace import NoOpTracer, Span, Tracer

from tarsy_bus.client.chunk_sender import ChunkSender
from tarsy_bus.model_span import open_model_span, record_answer, record_failure, record_first_chunk, record_usage
from tarsy_bus.tracing import current_traceparent
from tarsy_contracts.conversation import Conversation, Usage
from tarsy_contracts.events import SummaryAttempt
from tarsy_contracts.messages.chunks import number_run
from tarsy_contracts.messages.requests import SummaryRequest
from tarsy_contracts.request_digest import digest_request
from tarsy_contracts.token_rates import TextKind
from tarsy_llm.circuits import Circuits
from tarsy_llm.protocol import Answer, Llm, LlmCallError, LlmRequest
from tarsy_llm.provider_type import ModelIdentity, identity_of
from tarsy_llm.scripted.scripted_llm import Sleep
from tarsy_masking.masker import Masker
from tarsy_service.telemetry.model_metrics import ModelCallMetrics
from tarsy_summarizer.metrics import Metrics
from tarsy_summarizer.retry_waits import Wait, wait_of_first_choice, wait_of_the_last
from tarsy_summarizer.summary_stream import SummaryStream
from tarsy_summarizer.token_estimates import TokenEstimates

log = structlog.get_logger(__name__)

AGENT = "Summarizer"
REASON_CHARACTERS = 400
REASONS_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The providers that can be asked, and what a call of them needs. `monotonic` and `sleep` count the same seconds.

    `masker` is not that of a session: each use makes it one. `identities`: what traces say of the providers.
    """

    llms: Mapping[str, Llm]
    circuits: Circuits
    chunks: ChunkSender
    masker: Masker
    now: Callable[[], datetime]
    monotonic: Callable[[], float]
    sleep: Sleep
    metrics: Metrics
    model_calls: ModelCallMetrics
    estimates: TokenEstimates = field(default_factory=TokenEstimates)
    tracer: Tracer = field(default_factory=NoOpTracer)
    identities: Mapping[str, ModelIdentity] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SourceText:
    """The part of a result that a model is given."""

    text: str
    kind: TextKind


class ModelFallback:
    """The calls of one summary. `ends_at`: nobody waits for it after that.

    `attempts`: those that have ended, whatever came of them; also the one that was being made when its time was up.
    `request_digest`: of all that each of them was given.
    """

    def __init__(self, models: Models, request: SummaryRequest, *, ends_at: float) -> None:
        self._models = models
        self._request = request
        self._masker = models.masker.for_session(request.session_id)
        self._mask = self._masker.mask
        self._ends_at = ends_at
        self._named = tuple(dict.fromkeys((request.llm_provider, *request.fallback_providers)))
        self._run = 0
        self._failures: dict[str, str] = {}
        self.attempts: tuple[SummaryAttempt, ...] = ()
        self.request_digest = ""

    async def answer(self, conversation: Conversation, source: SourceText) -> Answer | None:
        """`source` stands in `conversation`. None when nobody gave an answer; `reasons` has why."""
        wanted = LlmRequest(
            agent=AGENT, iteration=1, conversation=conversation, answer_tokens=self._request.max_tokens, is_last=True
        )
        self.request_digest = digest_request(conversation, answer_tokens=wanted.answer_tokens, is_last=wanted.is_last)
        ordered = self._models.circuits.order(self._named)
        last = self._find_last(ordered)
        for provider in ordered:
            try:
                answer = await self._ask_with_one_retry(
                    provider, wanted, wait_of_the_last if provider == last else wait_of_first_choice
                )
            except LlmCallError as problem:
                self._note_failure(provider, problem)
                continue
            size = len(source.text.encode(errors="replace"))
            self._models.estimates.learn(
                provider, source.kind, size=size, conversation=conversation, usage=answer.usage
            )
            return answer
        return None

    def _find_last(self, ordered: Sequence[str]) -> str | None:
        """The one that is waited for: behind it, nobody is left of whom an answer can be expected."""
        known = [name for name in ordered if name in self._models.llms]
        expected = [name for name in known if self._models.circuits.may_ask(name)]
        return next(reversed(expected or known), None)

    def reasons(self) -> list[str]:
        """Why each provider that was asked gave no summary, masked and short."""
        if len(self._named) == 1:
            return list(self._failures.values())
        return [f"{provider}: {reason}" for provider, reason in self._failures.items()]

    async def _ask_with_one_retry(self, provider: str, wanted: LlmRequest, wait: Wait) -> Answer:
        """Raises LlmCallError."""
        if provider not in self._models.llms:
            raise LlmCallError(f"the LLM provider {provider} is not configured here", kind="invalid_request")
        try:
            return await self._ask_once(provider, wanted)
        except LlmCallError as problem:
            seconds = wait(problem, self._ends_at - self._models.monotonic())
            if seconds is None:
                raise
            self._note_failure(provider, problem)
        await self._models.sleep(seconds)
        return await self._ask_once(provider, wanted)

    async def _ask_once(self, provider: str, wanted: LlmRequest) -> Answer:
        """Raises LlmCallError. A later run replaces what an earlier one has streamed."""
        self._run = max(self._run + 1, number_run(self._request.releases, self._models.now()))
        began = self._models.monotonic()
        with self._open_span(provider) as span:
            try:
                with self._models.circuits.call(provider):
                    answer = await self._stream_answer(self._models.llms[provider], wanted)
                require_text(answer)
            except LlmCallError as problem:
                self._models.metrics.count_llm_call(provider, problem.kind, problem.usage)
                self._observe_call(provider, began, problem.kind, problem.usage)
                self._record_attempt(provider, began, usage=problem.usage, error=self._mask_reason(problem))
                record_usage(span, problem.usage)
                record_failure(span, problem.kind)
                raise
            except asyncio.CancelledError:
                self._record_attempt(provider, began, error="broken off: nobody waited any longer")
                raise
            model = self._mask(answer.model)
            record_usage(span, answer.usage)
            record_answer(span, model=model, finish_reason=answer.finish_reason)
        self._models.metrics.count_llm_call(provider, "ok", answer.usage)
        self._observe_call(provider, began, "", answer.usage)
        self._record_attempt(provider, began, usage=answer.usage, model=model)
        return answer

    def _open_span(self, provider: str) -> AbstractContextManager[Span]:
        model = identity_of(self._models.identities, provider)
        return open_model_span(
            self._models.tracer,
            session_id=self._request.session_id,
            provider=model.provider,
            model=model.model,
            attributes={"gen_ai.agent.id": AGENT, "gen_ai.agent.name": AGENT, "tarsy.llm_provider": provider},
            cause=current_traceparent(),
        )

    async def _stream_answer(self, llm: Llm, wanted: LlmRequest) -> Answer:
        chunks = SummaryStream(self._models.chunks, self._request, self._masker.stream(), run=self._run)
        began, answers = self._models.monotonic(), False
        with chunks.running():
            async with aclosing(llm.stream(wanted)) as stream:
                async for part in stream:
                    if not answers:
                        answers = True
                        record_first_chunk(trace.get_current_span(), self._models.monotonic() - began)
                    if isinstance(part, Answer):
                        await chunks.finish()
                        return part
                    if part.part == "text":
                        await chunks.take(part.text)
        raise LlmCallError("the model ended without an answer", kind="cut_off")

    def _record_attempt(
        self, provider: str, began: float, *, usage: Usage | None = None, model: str = "", error: str = ""
    ) -> None:
        duration_ms = round((self._models.monotonic() - began) * 1000)
        attempt = SummaryAttempt(
            provider=provider, model=model, usage=usage or Usage(), duration_ms=duration_ms, error=error
        )
        self.attempts = (*self.attempts, attempt)

    def _observe_call(self, provider: str, began: float, error: str, usage: Usage) -> None:
        seconds = self._models.monotonic() - began
        self._models.model_calls.observe(
            provider,
            seconds,
            error=error,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
        )

    def _mask_reason(self, problem: LlmCallError) -> str:
        return shorten(self._mask(str(problem)), REASON_CHARACTERS)

    def _note_failure(self, provider: str, problem: LlmCallError) -> None:
        reason = self._mask_reason(problem)
        self._failures[provider] = reason
        call_id = self._request.call_id
        log.warning("summary.provider_failed", call_id=call_id, provider=provider, kind=problem.kind, error=reason)


def require_text(answer: Answer) -> Answer:
    """Raises LlmCallError."""
    if not answer.text.strip():
        raise LlmCallError("the model answered with nothing", kind="provider_error", usage=answer.usage)
    return answer


def shorten(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} ..."
