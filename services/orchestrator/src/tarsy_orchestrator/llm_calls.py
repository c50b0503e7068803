"""Making one LLM call: streaming what comes, and returning the answer as an input, whatever happens."""

import asyncio
from contextlib import aclosing

import structlog

from tarsy_contracts.conversation import ToolCall, Usage
from tarsy_contracts.identities import tool_call_id
from tarsy_contracts.inputs import LlmCallReported
from tarsy_llm.protocol import Answer, LlmError, LlmRequest
from tarsy_orchestrator.chunks import Chunks, sending
from tarsy_orchestrator.conversing import conversation, tools
from tarsy_orchestrator.metrics import LlmOutcome
from tarsy_orchestrator.owed import OwedLlmCall
from tarsy_orchestrator.state import Investigating
from tarsy_orchestrator.surroundings import Surroundings

log = structlog.get_logger(__name__)

PAUSE_BEFORE_ATTEMPT_SECONDS = (0.0, 1.0, 3.0)


async def make_llm_call(
    around: Surroundings, session_id: str, state: Investigating, owed: OwedLlmCall
) -> LlmCallReported:
    """Never raises but for its cancellation: a failure is reported like an answer."""
    asked = owed.asked
    await asyncio.sleep(PAUSE_BEFORE_ATTEMPT_SECONDS[min(asked.attempt, 3) - 1])
    started = around.monotonic()
    seconds = state.started.chain.limits.llm_call_seconds
    try:
        async with around.llm_places, asyncio.timeout(seconds):
            answer = await _stream(around, session_id, state, owed)
    except TimeoutError:
        error = f"the model did not finish within {seconds:g} seconds"
        return _failure(around, owed, started, error, outcome="timeout", retryable=True)
    except LlmError as problem:
        return _failure(around, owed, started, str(problem), outcome=problem.kind, retryable=problem.retryable)
    except Exception as problem:
        log.exception("llm_call.broke", session_id=session_id, llm_call_id=asked.llm_call_id)
        error = f"the adapter failed: {type(problem).__name__}"
        return _failure(around, owed, started, error, outcome="broken", retryable=False)
    return _report(around, owed, started, answer)


async def _stream(around: Surroundings, session_id: str, state: Investigating, owed: OwedLlmCall) -> Answer:
    execution = owed.execution
    llm = around.llms.get(execution.agent.llm_provider)
    if llm is None:
        raise LlmError(
            f"the LLM provider {execution.agent.llm_provider} is not configured here", kind="invalid_request"
        )
    request = LlmRequest(
        agent=execution.agent.name,
        iteration=owed.asked.iteration,
        conversation=conversation(state, execution),
        tools=tools(execution),
    )
    chunks = Chunks(around, session_id, owed)
    asked_at, answers = around.monotonic(), False
    with around.metrics.llm_running.track_inprogress():
        async with sending(chunks), aclosing(llm.stream(request)) as stream:
            async for part in stream:
                if not answers:
                    answers = True
                    around.metrics.llm_first_delta(execution.agent.llm_provider, around.monotonic() - asked_at)
                if isinstance(part, Answer):
                    return part
                await chunks.take(part)
    raise LlmError("the stream ended without an answer", kind="cut_off")


def _failure(
    around: Surroundings, owed: OwedLlmCall, started: float, error: str, *, outcome: LlmOutcome, retryable: bool
) -> LlmCallReported:
    around.metrics.llm_ended(owed.execution.agent.llm_provider, outcome, around.monotonic() - started)
    return LlmCallReported(
        llm_call_id=owed.asked.llm_call_id,
        error=around.masker.mask(error),
        retryable=retryable,
        thinking="",
        text="",
        tool_calls=(),
        usage=Usage(),
        model="",
        duration_ms=int((around.monotonic() - started) * 1000),
    )


def _report(around: Surroundings, owed: OwedLlmCall, started: float, answer: Answer) -> LlmCallReported:
    """Masked once, here, before it is recorded; what is recorded is what runs."""
    seconds = around.monotonic() - started
    around.metrics.llm_ended(owed.execution.agent.llm_provider, "ok", seconds)
    around.metrics.llm_used(owed.execution.agent.llm_provider, answer.usage)
    thinking = around.masker.mask(answer.thinking)
    calls = []
    for index, asked in enumerate(answer.tool_calls):
        arguments = around.masker.mask_json(asked.arguments)
        calls.append(
            ToolCall(
                id=tool_call_id(owed.asked.llm_call_id, index),
                name=asked.name,
                arguments=arguments if isinstance(arguments, dict) else {},
            )
        )
    return LlmCallReported(
        llm_call_id=owed.asked.llm_call_id,
        error="",
        retryable=False,
        thinking=thinking,
        text=around.masker.mask(answer.text),
        tool_calls=tuple(calls),
        usage=answer.usage,
        model=answer.model,
        duration_ms=int(seconds * 1000),
        # It may repeat the thinking word for word, and is kept as it is.
        opaque=answer.opaque if thinking == answer.thinking else None,
    )
