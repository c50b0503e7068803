"""One LLM call: chunks are streamed while it runs, and its answer or failure returns as an input."""

import asyncio
import traceback
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial

import structlog
from opentelemetry import trace

from tarsy_bus.model_span import record_answer, record_first_chunk
from tarsy_contracts.conversation import Usage
from tarsy_contracts.messages.inputs import LlmCallReported
from tarsy_contracts.native_calls import NativeCall
from tarsy_contracts.wire.same_fields import copy_fields
from tarsy_llm.protocol import Answer, ErrorKind, Llm, LlmCallError, LlmRequest
from tarsy_orchestrator.effects.dependencies import Dependencies
from tarsy_orchestrator.effects.llm_answer import MOST_RECORD_BYTES, is_long, mask_answer, record_size
from tarsy_orchestrator.effects.llm_stream import ChunkPublisher, dropping_unsent
from tarsy_orchestrator.effects.native_masking import mask_native_call
from tarsy_orchestrator.effects.repetition import RepetitionDetector
from tarsy_orchestrator.effects.streamed_words import StreamedWords
from tarsy_orchestrator.errors import OrchestratorError
from tarsy_orchestrator.metrics import LlmOutcome
from tarsy_service.supervision import not_cancelled_from_inside
from tarsy_session.conversations.model_request import ModelRequest
from tarsy_session.effects import LlmCallEffect
from tarsy_session.llm_failures import BROKEN, CALL_TIMEOUT, CIRCUIT_OPEN, REPETITION, OwnKind
from tarsy_session.state import Investigating

NO_USAGE = Usage()

log = structlog.get_logger(__name__)


class RepetitionError(OrchestratorError):
    """The model says the same thing again and again. The caller ends the call."""


@dataclass(frozen=True, slots=True)
class CallTimes:
    """Since when a call has been wanted, and since when its model has been asked: it may have waited for a slot."""

    wanted: float
    requested: float


@dataclass(frozen=True, slots=True)
class FailedCall:
    """A call without an answer that counts. `thinking`, `text`: what had been streamed, where that is kept."""

    error: str
    kind: OwnKind | ErrorKind
    retryable: bool = True
    retry_after_seconds: float | None = None
    usage: Usage = NO_USAGE
    thinking: str = ""
    text: str = ""
    refused_tools: tuple[str, ...] = ()
    most_tools: int | None = None
    context_tokens: int | None = None
    native_calls: tuple[NativeCall, ...] = ()

    @classmethod
    def of(cls, problem: LlmCallError) -> "FailedCall":
        return cls(
            str(problem),
            problem.kind,
            retryable=problem.retryable,
            retry_after_seconds=problem.retry_after_seconds,
            usage=problem.usage,
            refused_tools=problem.refused_tools,
            most_tools=problem.most_tools,
            context_tokens=problem.context_tokens,
        )


@asynccontextmanager
async def llm_turn(deps: Dependencies, effect: LlmCallEffect) -> AsyncIterator[CallTimes]:
    """The body has one of the slots for LLM calls. A pause before a retry is over then."""
    await _wait_until_due(deps, effect)
    wanted = deps.monotonic()
    async with deps.llm_slots:
        yield CallTimes(wanted, deps.monotonic())


async def make_llm_call(
    deps: Dependencies,
    session_id: str,
    state: Investigating,
    effect: LlmCallEffect,
    times: CallTimes,
    words: StreamedWords,
) -> LlmCallReported:
    """Raises nothing but its own cancellation: a failure is returned like an answer. `words` keeps what is streamed."""
    if deps.circuits.skips(effect.llm_provider, effect.execution.fallbacks_left):
        return _report_failure(deps, session_id, effect, _skipped_call(effect.llm_provider))
    seconds, sent = state.started.chain.limits.llm_call_seconds, ""
    try:
        async with asyncio.timeout(seconds):
            llm, request = _require_llm(deps, effect), deps.requests.compose(state, effect.execution)
            sent = request.digest
            stream = _stream_answer(deps, session_id, effect, llm, request, words)
            answer = await not_cancelled_from_inside(f"LLM call {effect.id}", stream)
    except TimeoutError:
        error = f"the model did not finish within {seconds:g} seconds"
        failed = FailedCall(error, CALL_TIMEOUT, thinking=words.last("thinking"), text=words.last("text"))
    except RepetitionError:
        failed = FailedCall("the model repeated itself and was broken off", REPETITION)
    except LlmCallError as problem:
        failed = FailedCall.of(problem)
    except Exception as problem:  # noqa: BLE001 - a mistake in an adapter must not end the owner
        # The message is left out: nobody has masked it.
        where = "".join(traceback.format_tb(problem.__traceback__))
        kind = type(problem).__name__
        log.error("llm_call.broke", session_id=session_id, llm_call_id=effect.id, problem=kind, where=where)
        failed = FailedCall(f"the adapter failed: {kind}", BROKEN, retryable=False)
    else:
        report = await _report_answer(deps, session_id, effect, times, sent, answer)
        if record_size(report) <= MOST_RECORD_BYTES:
            return report
        error = f"the answer of the model takes more than {MOST_RECORD_BYTES} bytes on record"
        failed = FailedCall(error, "answer_too_long", usage=answer.usage)
    failed = replace(failed, native_calls=words.native_calls)
    seconds = _observe_call(deps, effect, times, failed.kind, failed.usage)
    return _report_failure(deps, session_id, effect, failed, sent=sent, seconds=seconds)


def _skipped_call(provider: str) -> FailedCall:
    error = f"{provider} was not asked: it has failed in a row, and the next provider is asked at once"
    return FailedCall(error, CIRCUIT_OPEN, retryable=False)


async def _wait_until_due(deps: Dependencies, effect: LlmCallEffect) -> None:
    """A pause counts from the event that asks for it, so that a new owner does not begin it again."""
    if effect.pending.requested.wait_seconds <= 0:
        return
    now = deps.liveness.about_now
    left = effect.pending.requested.wait_seconds if now is None else (effect.pending.not_before - now).total_seconds()
    if left > 0:
        await asyncio.sleep(left)


def _require_llm(deps: Dependencies, effect: LlmCallEffect) -> Llm:
    """Raises LlmCallError."""
    llm = deps.llms.get(effect.llm_provider)
    if llm is None:
        raise LlmCallError(f"the LLM provider {effect.llm_provider} is not configured here", kind="invalid_request")
    return llm


async def _stream_answer(
    deps: Dependencies,
    session_id: str,
    effect: LlmCallEffect,
    llm: Llm,
    model_request: ModelRequest,
    words: StreamedWords,
) -> Answer:
    provider = effect.llm_provider
    request = LlmRequest(
        agent=effect.execution.agent.name,
        iteration=effect.pending.requested.iteration,
        conversation=model_request.conversation,
        conversation_id=effect.execution.id,
        tools=model_request.tools,
        native_tools=model_request.native_tools,
        answer_tokens=model_request.answer_tokens,
        is_last=model_request.is_last,
    )
    chunks = ChunkPublisher(deps, session_id, effect, words)
    text, thought = RepetitionDetector(), RepetitionDetector()
    masker = deps.masker.for_session(session_id)
    asked_at, answers = deps.monotonic(), False
    with deps.metrics.llm_running.track_inprogress(), dropping_unsent(chunks), deps.circuits.call(provider):
        async with aclosing(llm.stream(request)) as stream:
            async for part in stream:
                if not answers:
                    answers = True
                    first_after = deps.monotonic() - asked_at
                    deps.metrics.observe_first_delta(provider, first_after)
                    record_first_chunk(trace.get_current_span(), first_after)
                if isinstance(part, Answer):
                    return part
                if (text if part.part == "text" else thought).take(part.text):
                    raise RepetitionError
                if part.native_call is not None:
                    words.note_native_call(mask_native_call(part.native_call, masker))
                await chunks.take(part)
    raise LlmCallError("the stream ended without an answer", kind="cut_off")


def _report_failure(
    deps: Dependencies,
    session_id: str,
    effect: LlmCallEffect,
    failed: FailedCall,
    *,
    sent: str = "",
    seconds: float = 0.0,
) -> LlmCallReported:
    return copy_fields(
        LlmCallReported,
        failed,
        llm_call_id=effect.id,
        error=deps.masker.for_session(session_id).mask(failed.error),
        tool_calls=(),
        model="",
        duration_ms=int(seconds * 1000),
        request_digest=sent,
    )


async def _report_answer(
    deps: Dependencies, session_id: str, effect: LlmCallEffect, times: CallTimes, sent: str, answer: Answer
) -> LlmCallReported:
    seconds = _observe_call(deps, effect, times, "ok", answer.usage)
    offered = {tool.definition.name for tool in effect.execution.tools}
    masker = deps.masker.for_session(session_id)
    mask = partial(mask_answer, answer, masker, llm_call_id=effect.id, offered=offered)
    masked = await asyncio.to_thread(mask) if is_long(answer) else mask()
    for call in masked.native_calls:
        deps.metrics.count_native_call(effect.llm_provider, call.tool)
    record_answer(trace.get_current_span(), model=masked.model, finish_reason=answer.finish_reason)
    return copy_fields(
        LlmCallReported,
        masked,
        llm_call_id=effect.id,
        error="",
        retryable=False,
        usage=answer.usage,
        duration_ms=int(seconds * 1000),
        request_digest=sent,
        cut=answer.cut,
        native_tools_left_out=answer.native_left_out,
    )


def _observe_call(
    deps: Dependencies, effect: LlmCallEffect, times: CallTimes, outcome: LlmOutcome, usage: Usage
) -> float:
    """Returns the seconds since the call was wanted."""
    provider, now = effect.llm_provider, deps.monotonic()
    deps.metrics.observe_llm_call(provider, outcome, now - times.wanted)
    deps.metrics.count_tokens(provider, usage)
    deps.model_calls.observe(
        provider,
        now - times.requested,
        error="" if outcome == "ok" else outcome,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
    )
    return now - times.wanted
