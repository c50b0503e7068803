"""One summary: read, excerpt, ask, report. Every failure becomes a report that says so."""

import asyncio
import traceback
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.outage_retry import KafkaUnreachableError, TimeLimit
from tarsy_contracts.conversation import Usage
from tarsy_contracts.messages.inputs import SummaryReported
from tarsy_contracts.messages.requests import SummaryRequest
from tarsy_contracts.token_rates import kind_of_text
from tarsy_llm.protocol import Answer
from tarsy_llm.providers import close_llms
from tarsy_summarizer.models import REASONS_CHARACTERS, ModelFallback, Models, SourceText, shorten
from tarsy_summarizer.source import SourceGoneError, read_source
from tarsy_summarizer.summary_text import ends_too_early, summary_text
from tarsy_summarizer.token_estimates import tokens_of_summary
from tarsy_summary_prompt.coverage import Coverage
from tarsy_summary_prompt.excerpt import Excerpt, ExcerptText
from tarsy_summary_prompt.facts import describe_unread_spans
from tarsy_summary_prompt.focus import Focus
from tarsy_summary_prompt.prompt import summary_conversation
from tarsy_summary_prompt.request_focus import focus_of

log = structlog.get_logger(__name__)

EXCERPTS_AT_ONCE = 2
"""Each holds the text that it shortens. More would not end sooner: two use all that one process can."""
SECONDS_TO_REPORT = 1.0
"""Reading ends so long before the summary would, and the summary before its owner gives it up: each with its reason."""


@dataclass(slots=True)
class SummaryWork:
    """One summary being made. `size`: the bytes of the whole result; `source`: what the model reads of it, and
    `coverage` how much of it that is."""

    request: SummaryRequest
    claim_id: str
    began: float
    asking: ModelFallback
    size: int = 0
    source: SourceText | None = None
    coverage: Coverage | None = None


class Summarizer:
    def __init__(self, bus: Bus, models: Models, *, worker_id: str, input_bytes: int) -> None:
        self._bus = bus
        self._models = models
        self._worker_id = worker_id
        self._input_bytes = input_bytes
        self._places = asyncio.Semaphore(EXCERPTS_AT_ONCE)

    async def run(self, request: SummaryRequest, claim_id: str) -> SummaryReported:
        """Never raises but for its cancellation."""
        began, seconds = self._models.monotonic(), seconds_to_answer(request, self._models.now())
        asking = ModelFallback(self._models, request, ends_at=began + seconds)
        work = SummaryWork(request, claim_id, began, asking)
        try:
            async with asyncio.timeout(seconds):
                answer = await self._ask_for_summary(work, self._reading_limit(began, seconds))
        except TimeoutError:
            late = f"no summary in {seconds:.3g} seconds"
            return self._report_failed(work, "; ".join([late, *work.asking.reasons()]))
        except (SourceGoneError, KafkaUnreachableError) as problem:
            return self._report_failed(work, str(problem))
        except Exception as problem:  # noqa: BLE001 - a mistake of ours in one summary must not end all the others
            # Leaves out the message and its values, which are not masked.
            where = "".join(traceback.format_tb(problem.__traceback__))
            log.error("summary.failed", call_id=request.call_id, problem=type(problem).__name__, where=where)
            return self._report_failed(work, "the summarizer failed")
        return (
            await self._report_completed(work, answer)
            if answer
            else self._report_failed(work, "; ".join(work.asking.reasons()))
        )

    def report_cancelled(self, request: SummaryRequest, claim_id: str, ran_for: timedelta) -> SummaryReported:
        began = self._models.monotonic() - ran_for.total_seconds()
        asking = ModelFallback(self._models, request, ends_at=began)
        return self._report_failed(SummaryWork(request, claim_id, began, asking), "the summary was cancelled")

    async def aclose(self) -> None:
        await close_llms(self._models.llms.values())

    async def _report_completed(self, work: SummaryWork, answer: Answer) -> SummaryReported:
        request = work.request
        mask = self._models.masker.for_session(request.session_id).mask
        note = "" if work.coverage is None else describe_unread_spans(work.coverage)
        # A model may have written megabytes.
        text = await asyncio.to_thread(mask, answer.text)
        content = summary_text(text, cut=answer.cut, max_tokens=request.max_tokens, note=note)
        return SummaryReported(
            call_id=request.call_id,
            claim_id=work.claim_id,
            worker_id=self._worker_id,
            content=content,
            error="",
            usage=answer.usage,
            model=mask(answer.model),
            duration_ms=self._duration_ms_of(work),
            tokens_before=self._estimate_tokens_before(work),
            tokens_after=tokens_of_summary(answer, content),
            attempts=work.asking.attempts,
            request_digest=work.asking.request_digest,
            input_bytes=self._input_bytes,
            cut=ends_too_early(text, cut=answer.cut, max_tokens=request.max_tokens),
        )

    def _report_failed(self, work: SummaryWork, error: str) -> SummaryReported:
        mask = self._models.masker.for_session(work.request.session_id).mask
        return SummaryReported(
            call_id=work.request.call_id,
            claim_id=work.claim_id,
            worker_id=self._worker_id,
            content="",
            error=shorten(mask(error), REASONS_CHARACTERS),
            usage=Usage(),
            model="",
            duration_ms=self._duration_ms_of(work),
            tokens_before=self._estimate_tokens_before(work),
            attempts=work.asking.attempts,
            request_digest=work.asking.request_digest,
            input_bytes=self._input_bytes if work.asking.request_digest else None,
        )

    def _estimate_tokens_before(self, work: SummaryWork) -> int | None:
        """As the provider counts that was asked last; None when the result was not read."""
        if work.source is None:
            return None
        attempts = work.asking.attempts
        provider = attempts[-1].provider if attempts else work.request.llm_provider
        return self._models.estimates.estimate(provider, work.source.kind, work.size)

    def _duration_ms_of(self, work: SummaryWork) -> int:
        return round((self._models.monotonic() - work.began) * 1000)

    def _reading_limit(self, began: float, seconds: float) -> TimeLimit:
        ends_at = began + seconds - _seconds_to_report(seconds)
        return TimeLimit(ends_at=ends_at, monotonic=self._models.monotonic, sleep=self._models.sleep)

    async def _ask_for_summary(self, work: SummaryWork, reading: TimeLimit) -> Answer | None:
        """Raises SourceGoneError or KafkaUnreachableError."""
        focus = focus_of(work.request)
        excerpt = await self._read_excerpt(work, focus, reading)
        work.coverage, work.source = excerpt.coverage, SourceText(excerpt.text, kind_of_text(excerpt.text))
        return await work.asking.answer(summary_conversation(work.request, excerpt), work.source)

    async def _read_excerpt(self, work: SummaryWork, focus: Focus, reading: TimeLimit) -> ExcerptText:
        """Raises SourceGoneError or KafkaUnreachableError."""
        excerpt, size = Excerpt(self._input_bytes, focus), 0
        async with self._places, aclosing(read_source(self._bus, work.request, reading)) as pieces:
            async for piece in pieces:
                size += len(piece)
                # In a thread: the lines of a piece take longer than others should wait.
                await asyncio.to_thread(excerpt.take, piece)
            self._models.metrics.read(size)
            finished = await asyncio.to_thread(excerpt.finish)
        work.size = size
        return finished


def seconds_to_answer(request: SummaryRequest, now: datetime) -> float:
    """Ends before the owner gives the summary up, so that its cost comes on the record.

    At least half of what the owner allows: the clock of this machine may be ahead of the broker's.
    """
    allowed = request.timeout_seconds
    left = (request.not_after - now).total_seconds() - _seconds_to_report(allowed)
    return min(allowed, max(left, allowed / 2))


def _seconds_to_report(seconds: float) -> float:
    return min(SECONDS_TO_REPORT, seconds / 10)
