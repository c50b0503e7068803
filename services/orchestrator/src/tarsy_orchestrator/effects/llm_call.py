"""Making one LLM call: streaming what comes, and returning the answer as an input, whatever happens."""

import asyncio
import traceback
from contextlib import aclosing

import structlog

from tarsy_contracts.conversation import Usage
from tarsy_contracts.inputs import LlmCallReported
from tarsy_llm.protocol import Answer, ErrorKind, LlmError, LlmRequest
from tarsy_orchestrator.effects.dependencies import Surroundings
from tarsy_orchestrator.effects.llm_answer import recordable
from tarsy_orchestrator.effects.llm_stream import Chunks, sending
from tarsy_orchestrator.effects.repetition import Repetition
from tarsy_orchestrator.session.conversation import conversation, tools
from tarsy_orchestrator.session.effects import OwedLlmCall
from tarsy_orchestrator.session.llm_retry import BROKEN, CALL_TIMEOUT, REPETITION, OwnKind
from tarsy_orchestrator.session.state import Investigating
from tarsy_service.supervision import not_cancelled_from_inside

log = structlog.get_logger(__name__)


class Repeats(Exception):
    """The model says the same thing again and again."""


async def make_llm_call(
    around: Surroundings, session_id: str, state: Investigating, owed: OwedLlmCall
) -> LlmCallReported:
    """Never raises but for its cancellation: a failure is reported like an answer."""
    await _until_due(around, owed)
    started = around.monotonic()
    seconds = state.started.chain.limits.llm_call_seconds
    try:
        async with around.llm_places, asyncio.timeout(seconds):
            stream = _stream(around, session_id, state, owed)
            answer = await not_cancelled_from_inside(f"LLM call {owed.id}", stream)
    except TimeoutError:
        error = f"the model did not finish within {seconds:g} seconds"
        return _failure(around, session_id, owed, started, error, CALL_TIMEOUT)
    except Repeats:
        return _failure(around, session_id, owed, started, "the model repeated itself and was broken off", REPETITION)
    except LlmError as problem:
        return _failure(
            around,
            session_id,
            owed,
            started,
            str(problem),
            problem.kind,
            retryable=problem.retryable,
            retry_after_seconds=problem.retry_after_seconds,
        )
    except Exception as problem:  # noqa: BLE001 - a mistake in an adapter must not end the owner
        # Without the message, which nobody has masked.
        where = "".join(traceback.format_tb(problem.__traceback__))
        kind = type(problem).__name__
        log.error("llm_call.broke", session_id=session_id, llm_call_id=owed.id, problem=kind, where=where)
        error = f"the adapter failed: {kind}"
        return _failure(around, session_id, owed, started, error, BROKEN, retryable=False)
    return _report(around, session_id, owed, started, answer)


async def _until_due(around: Surroundings, owed: OwedLlmCall) -> None:
    """A pause counts from the event that asks for it, so that a new owner does not begin it again."""
    if owed.asked.requested.wait_seconds <= 0:
        return
    now = around.liveness.about_now
    left = owed.asked.requested.wait_seconds if now is None else (owed.asked.not_before - now).total_seconds()
    if left > 0:
        await asyncio.sleep(left)


async def _stream(around: Surroundings, session_id: str, state: Investigating, owed: OwedLlmCall) -> Answer:
    execution = owed.execution
    provider = _provider(owed)
    llm = around.llms.get(provider)
    if llm is None:
        raise LlmError(f"the LLM provider {provider} is not configured here", kind="invalid_request")
    request = LlmRequest(
        agent=execution.agent.name,
        iteration=owed.asked.requested.iteration,
        conversation=conversation(state, execution),
        tools=tools(execution),
        native_tools=execution.agent.native_tools,
    )
    chunks = Chunks(around, session_id, owed)
    said, thought = Repetition(), Repetition()
    asked_at, answers = around.monotonic(), False
    with around.metrics.llm_running.track_inprogress():
        async with sending(chunks), aclosing(llm.stream(request)) as stream:
            async for part in stream:
                if not answers:
                    answers = True
                    around.metrics.llm_first_delta(provider, around.monotonic() - asked_at)
                if isinstance(part, Answer):
                    return part
                if (said if part.part == "text" else thought).take(part.text):
                    raise Repeats
                await chunks.take(part)
    raise LlmError("the stream ended without an answer", kind="cut_off")


def _failure(
    around: Surroundings,
    session_id: str,
    owed: OwedLlmCall,
    started: float,
    error: str,
    kind: OwnKind | ErrorKind,
    *,
    retryable: bool = True,
    retry_after_seconds: float | None = None,
) -> LlmCallReported:
    around.metrics.llm_ended(_provider(owed), kind, around.monotonic() - started)
    return LlmCallReported(
        llm_call_id=owed.id,
        error=around.masker.for_session(session_id).mask(error),
        retryable=retryable,
        kind=kind,
        retry_after_seconds=retry_after_seconds,
        thinking="",
        text="",
        tool_calls=(),
        usage=Usage(),
        model="",
        duration_ms=int((around.monotonic() - started) * 1000),
    )


def _provider(owed: OwedLlmCall) -> str:
    return owed.asked.requested.llm_provider or owed.execution.llm_provider


def _report(
    around: Surroundings, session_id: str, owed: OwedLlmCall, started: float, answer: Answer
) -> LlmCallReported:
    seconds = around.monotonic() - started
    around.metrics.llm_ended(_provider(owed), "ok", seconds)
    around.metrics.llm_used(_provider(owed), answer.usage)
    offered = {tool.definition.name for tool in owed.execution.tools}
    said = recordable(answer, around.masker.for_session(session_id), llm_call_id=owed.id, offered=offered)
    return LlmCallReported(
        llm_call_id=owed.id,
        error="",
        retryable=False,
        thinking=said.thinking,
        text=said.text,
        tool_calls=said.tool_calls,
        usage=answer.usage,
        model=said.model,
        duration_ms=int(seconds * 1000),
        opaque=said.opaque,
        calls_left_out=said.calls_left_out,
    )
