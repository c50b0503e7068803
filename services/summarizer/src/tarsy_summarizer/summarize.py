"""One summary: read, excerpt, ask, report. Every failure becomes a report that says so."""

import asyncio
import traceback
from contextlib import aclosing
from datetime import timedelta

import structlog

from tarsy_bus.connection import Bus
from tarsy_bus.outage_retry import KafkaUnreachableError, TimeLimit
from tarsy_contracts.conversation import Usage
from tarsy_contracts.inputs import SummaryReported
from tarsy_contracts.requests import SummaryRequest
from tarsy_llm.protocol import Answer
from tarsy_llm.providers import close_llms
from tarsy_summarizer.excerpt import Excerpt, ExcerptText
from tarsy_summarizer.facts import unseen_note
from tarsy_summarizer.focus import Focus
from tarsy_summarizer.models import REASONS_CHARACTERS, ModelFallback, Models, shortened
from tarsy_summarizer.prompt import summary_conversation
from tarsy_summarizer.request_focus import focus_of
from tarsy_summarizer.source import SourceGoneError, read_source
from tarsy_summarizer.summary_text import summary_text

log = structlog.get_logger(__name__)

EXCERPTS_AT_ONCE = 2
"""Each holds the text that it shortens. More would not end sooner: two use all that one process can."""
SECONDS_TO_REPORT = 1.0
"""Reading ends so long before the summary would, so that its own reason is reported."""


class Summarizer:
    def __init__(self, bus: Bus, models: Models, *, worker_id: str, input_bytes: int) -> None:
        self._bus = bus
        self._models = models
        self._worker_id = worker_id
        self._input_bytes = input_bytes
        self._places = asyncio.Semaphore(EXCERPTS_AT_ONCE)

    async def run(self, request: SummaryRequest, claim_id: str) -> SummaryReported:
        """Never raises but for its cancellation."""
        began = self._models.monotonic()
        asking = ModelFallback(self._models, request, ends_at=began + request.timeout_seconds)
        try:
            async with asyncio.timeout(request.timeout_seconds):
                answer, note = await self._answer(request, asking, self._reading_limit(began, request))
        except TimeoutError:
            late = f"no summary in {request.timeout_seconds:g} seconds"
            return self.report(request, claim_id, began, error="; ".join([late, *asking.reasons()]))
        except (SourceGoneError, KafkaUnreachableError) as problem:
            return self.report(request, claim_id, began, error=str(problem))
        except Exception as problem:  # noqa: BLE001 - a mistake of ours in one summary must not end all the others
            # Without the message and the values in it, which nobody has masked.
            where = "".join(traceback.format_tb(problem.__traceback__))
            log.error("summary.failed", call_id=request.call_id, problem=type(problem).__name__, where=where)
            return self.report(request, claim_id, began, error="the summarizer failed")
        error = "" if answer is not None else "; ".join(asking.reasons())
        return self.report(request, claim_id, began, answer=answer, note=note, error=error)

    def report_cancelled(self, request: SummaryRequest, claim_id: str, ran_for: timedelta) -> SummaryReported:
        began = self._models.monotonic() - ran_for.total_seconds()
        return self.report(request, claim_id, began, error="the summary was cancelled")

    async def aclose(self) -> None:
        await close_llms(self._models.llms.values())

    def report(
        self,
        request: SummaryRequest,
        claim_id: str,
        began: float,
        *,
        answer: Answer | None = None,
        note: str = "",
        error: str = "",
    ) -> SummaryReported:
        mask = self._models.masker.for_session(request.session_id).mask
        content = ""
        if answer is not None:
            content = summary_text(mask(answer.text), cut=answer.cut, max_tokens=request.max_tokens, note=note)
        return SummaryReported(
            call_id=request.call_id,
            claim_id=claim_id,
            worker_id=self._worker_id,
            content=content,
            error=shortened(mask(error), REASONS_CHARACTERS),
            usage=answer.usage if answer is not None else Usage(),
            model=mask(answer.model) if answer is not None else "",
            duration_ms=round((self._models.monotonic() - began) * 1000),
        )

    def _reading_limit(self, began: float, request: SummaryRequest) -> TimeLimit:
        earlier = min(SECONDS_TO_REPORT, request.timeout_seconds / 10)
        ends_at = began + request.timeout_seconds - earlier
        return TimeLimit(ends_at=ends_at, monotonic=self._models.monotonic, sleep=self._models.sleep)

    async def _answer(
        self, request: SummaryRequest, asking: ModelFallback, reading: TimeLimit
    ) -> tuple[Answer | None, str]:
        """With a note on what was not read for it."""
        focus = focus_of(request)
        excerpt = await self._excerpt(request, focus, reading)
        answer = await asking.answer(summary_conversation(request, excerpt, focus.alert_began))
        return answer, unseen_note(excerpt.coverage)

    async def _excerpt(self, request: SummaryRequest, focus: Focus, reading: TimeLimit) -> ExcerptText:
        """Raises SourceGoneError or KafkaUnreachableError."""
        excerpt, size = Excerpt(self._input_bytes, focus), 0
        async with self._places, aclosing(read_source(self._bus, request, reading)) as pieces:
            async for piece in pieces:
                size += len(piece)
                # In a thread: the lines of a piece take longer than others should wait.
                await asyncio.to_thread(excerpt.take, piece)
            self._models.metrics.read(size)
            return await asyncio.to_thread(excerpt.finish)
