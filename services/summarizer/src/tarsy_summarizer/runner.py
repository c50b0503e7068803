"""Runner of summaries: each is repeatable, so it is claimed and begun at once, or given back as too much."""

from dataclasses import dataclass
from datetime import datetime

from opentelemetry.trace import SpanKind

from tarsy_contracts.messages.inputs import SummaryReported
from tarsy_contracts.messages.requests import SummaryRequest
from tarsy_contracts.wire.ids import execution_traceparent
from tarsy_service.supervision import not_cancelled_from_inside
from tarsy_summarizer.metrics import SUMMARIES, Metrics, SummaryOutcome
from tarsy_summarizer.summarize import Summarizer
from tarsy_worker.claim_types import ReportOutcome
from tarsy_worker.runner import MayStart, RunSpan, always


@dataclass(frozen=True, slots=True)
class SummaryClaim:
    """A request as the claim state machine sees it: all summaries count against one limit."""

    request: SummaryRequest
    server: str = SUMMARIES
    repeatable: bool = True

    @property
    def session_id(self) -> str:
        return self.request.session_id

    @property
    def call_id(self) -> str:
        return self.request.call_id

    @property
    def not_after(self) -> datetime:
        return self.request.not_after


class SummaryRunner:
    """Runs claimed summaries, and counts them."""

    def __init__(self, summarizer: Summarizer, metrics: Metrics) -> None:
        self._summarizer = summarizer
        self._metrics = metrics

    def describe_span(self, claim: SummaryClaim) -> RunSpan:
        """A summary may ask several models, one after the other. Its span is that of all of them."""
        request = claim.request
        attributes = {
            "gen_ai.conversation.id": claim.session_id,
            "tarsy.call_id": claim.call_id,
            "tarsy.execution_id": request.execution_id,
            "tarsy.llm_provider": request.llm_provider,
        }
        cause = execution_traceparent(claim.session_id, request.execution_id)
        return RunSpan("summary", attributes, SpanKind.INTERNAL, cause)

    async def run(self, claim: SummaryClaim, claim_id: str, may_start: MayStart = always) -> SummaryReported:
        work = self._summarizer.run(claim.request, claim_id)
        report = await not_cancelled_from_inside(f"summary {claim.call_id}", work)
        self._count_ended("error" if report.error else "ok", report)
        return report

    def report_cancelled(self, cancelled: ReportOutcome[SummaryClaim]) -> SummaryReported:
        report = self._summarizer.report_cancelled(cancelled.request.request, cancelled.claim_id, cancelled.ran_for)
        self._count_ended("cancelled", report)
        return report

    def _count_ended(self, outcome: SummaryOutcome, report: SummaryReported) -> None:
        self._metrics.count_ended(outcome, report.duration_ms / 1000)
