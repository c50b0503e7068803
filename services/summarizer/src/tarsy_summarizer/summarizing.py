"""One summary: read, excerpt, ask, report. Whatever goes wrong becomes a report that says so."""

import asyncio
import traceback

import structlog

from tarsy_bus.connection import Bus
from tarsy_contracts.conversation import Usage
from tarsy_contracts.inputs import SummaryReported
from tarsy_contracts.requests import SummaryRequest
from tarsy_llm.protocol import Answer
from tarsy_llm.providers import close_llms
from tarsy_summarizer.asking import REASONS_CHARACTERS, Asking, Models, shortened
from tarsy_summarizer.excerpt import excerpt
from tarsy_summarizer.prompting import conversation
from tarsy_summarizer.source import SourceGone, read_source

log = structlog.get_logger(__name__)


class Summarizing:
    def __init__(self, bus: Bus, models: Models, *, worker_id: str, input_bytes: int) -> None:
        self._bus = bus
        self._models = models
        self._worker_id = worker_id
        self._input_bytes = input_bytes

    async def run(self, request: SummaryRequest, claim_id: str) -> SummaryReported:
        """Never raises but for its cancellation."""
        began = self._models.monotonic()
        asking = Asking(self._models, request, ends_at=began + request.timeout_seconds)
        try:
            async with asyncio.timeout(request.timeout_seconds):
                answer = await self._answer(request, asking)
        except TimeoutError:
            late = f"no summary in {request.timeout_seconds:g} seconds"
            return self.report(request, claim_id, began, error="; ".join([late, *asking.reasons()]))
        except SourceGone as problem:
            return self.report(request, claim_id, began, error=str(problem))
        except Exception as problem:  # noqa: BLE001 - a mistake of ours in one summary must not end all the others
            # Without the message and the values in it, which nobody has masked.
            where = "".join(traceback.format_tb(problem.__traceback__))
            log.error("summary.failed", call_id=request.call_id, problem=type(problem).__name__, where=where)
            return self.report(request, claim_id, began, error="the summarizer failed")
        error = "" if answer is not None else "; ".join(asking.reasons())
        return self.report(request, claim_id, began, answer=answer, error=error)

    async def aclose(self) -> None:
        await close_llms(self._models.llms.values())

    def report(
        self, request: SummaryRequest, claim_id: str, began: float, *, answer: Answer | None = None, error: str = ""
    ) -> SummaryReported:
        mask = self._models.masker.for_session(request.session_id).mask
        return SummaryReported(
            call_id=request.call_id,
            claim_id=claim_id,
            worker_id=self._worker_id,
            content=mask(answer.text) if answer is not None else "",
            error=shortened(mask(error), REASONS_CHARACTERS),
            usage=answer.usage if answer is not None else Usage(),
            model=mask(answer.model) if answer is not None else "",
            duration_ms=round((self._models.monotonic() - began) * 1000),
        )

    async def _answer(self, request: SummaryRequest, asking: Asking) -> Answer | None:
        source = await read_source(self._bus, request)
        self._models.metrics.read(request.stored.size if request.stored is not None else len(source.encode()))
        # In a thread: a hundred thousand lines take longer than others should wait.
        short = await asyncio.to_thread(excerpt, source, self._input_bytes)
        return await asking.answer(conversation(request, short))
