"""One summary: read, excerpt, ask, report. Whatever goes wrong becomes a report that says so."""

import asyncio
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import aclosing
from datetime import datetime

import structlog

from tarsy_bus.connection import Bus
from tarsy_bus.publisher import Publisher
from tarsy_contracts.conversation import Conversation, Usage
from tarsy_contracts.inputs import SummaryReported
from tarsy_contracts.requests import SummaryRequest
from tarsy_llm.protocol import Answer, Llm, LlmError, LlmRequest
from tarsy_llm.providers import close_llms
from tarsy_summarizer.chunks import Chunks
from tarsy_summarizer.excerpt import excerpt
from tarsy_summarizer.metrics import Metrics
from tarsy_summarizer.prompting import conversation
from tarsy_summarizer.source import SourceGone, read_source
from tarsy_summarizer.streaming import MaskedStream

log = structlog.get_logger(__name__)

AGENT = "Summarizer"
RETRY_SECONDS = 1.0


class Summarizing:
    def __init__(
        self,
        bus: Bus,
        publisher: Publisher,
        llms: Mapping[str, Llm],
        *,
        worker_id: str,
        mask: Callable[[str], str],
        now: Callable[[], datetime],
        input_bytes: int,
        metrics: Metrics,
    ) -> None:
        self._bus = bus
        self._publisher = publisher
        self._llms = llms
        self._worker_id = worker_id
        self._mask = mask
        self._now = now
        self._input_bytes = input_bytes
        self._metrics = metrics

    async def run(self, request: SummaryRequest, claim_id: str) -> SummaryReported:
        """Never raises but for its cancellation."""
        began = time.monotonic()
        try:
            async with asyncio.timeout(request.timeout_seconds):
                answer = await self._answer(request)
        except TimeoutError:
            return self.report(request, claim_id, began, error=f"no summary in {request.timeout_seconds:g} seconds")
        except (LlmError, SourceGone) as problem:
            return self.report(request, claim_id, began, error=str(problem))
        except Exception as problem:  # noqa: BLE001 - a mistake of ours in one summary must not end all the others
            # Without the message and the values in it, which nobody has masked.
            where = "".join(traceback.format_tb(problem.__traceback__))
            log.error("summary.failed", call_id=request.call_id, problem=type(problem).__name__, where=where)
            return self.report(request, claim_id, began, error="the summarizer failed")
        return self.report(request, claim_id, began, answer=answer)

    async def aclose(self) -> None:
        await close_llms(self._llms.values())

    def report(
        self, request: SummaryRequest, claim_id: str, began: float, *, answer: Answer | None = None, error: str = ""
    ) -> SummaryReported:
        return SummaryReported(
            call_id=request.call_id,
            claim_id=claim_id,
            worker_id=self._worker_id,
            content=self._mask(answer.text) if answer is not None else "",
            error=self._mask(error),
            usage=answer.usage if answer is not None else Usage(),
            model=answer.model if answer is not None else "",
            duration_ms=round((time.monotonic() - began) * 1000),
        )

    async def _answer(self, request: SummaryRequest) -> Answer:
        llm = self._llms.get(request.llm_provider)
        if llm is None:
            raise LlmError(f"the LLM provider {request.llm_provider} is not configured here", kind="invalid_request")
        source = await read_source(self._bus, request)
        self._metrics.read(request.stored.size if request.stored is not None else len(source.encode()))
        # In a thread: a hundred thousand lines take longer than others should wait.
        short = await asyncio.to_thread(excerpt, source, self._input_bytes)
        asked = conversation(request, short)
        run = round(self._now().timestamp() * 1000)
        try:
            return await self._stream(llm, request, asked, run)
        except LlmError as problem:
            if not problem.retryable:
                raise
            await asyncio.sleep(RETRY_SECONDS)
        return await self._stream(llm, request, asked, max(run + 1, round(self._now().timestamp() * 1000)))

    async def _stream(self, llm: Llm, request: SummaryRequest, asked: Conversation, run: int) -> Answer:
        """Raises LlmError."""
        chunks = Chunks(self._publisher, request, MaskedStream(self._mask), run=run)
        wanted = LlmRequest(agent=AGENT, iteration=1, conversation=asked, max_output_tokens=request.max_tokens)
        async with aclosing(llm.stream(wanted)) as stream:
            async for part in stream:
                if isinstance(part, Answer):
                    await chunks.finish()
                    return _with_text(part)
                if part.part == "text":
                    await chunks.take(part.text)
        raise LlmError("the model ended without an answer", kind="cut_off")


def _with_text(answer: Answer) -> Answer:
    if not answer.text.strip():
        raise LlmError("the model answered with nothing", kind="provider_error")
    return answer
