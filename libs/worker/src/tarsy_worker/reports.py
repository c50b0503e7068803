"""Reports of a worker to the owners of sessions, written to the inbox again and again until Kafka has them."""

import structlog

from tarsy_bus.client.publisher import Publisher, TooLargeError, was_not_written
from tarsy_bus.retries import draw_growing_pauses, retry
from tarsy_bus.tracing import traceparent_of
from tarsy_contracts.messages.inputs import CallClaimed, CallNotStarted, SummaryReported, ToolCallReported
from tarsy_contracts.timing import LONGEST_PAUSE_SECONDS
from tarsy_contracts.wire.ids import report_id

log = structlog.get_logger(__name__)

FIRST_PAUSE_SECONDS = 0.1
LONGEST_ID = 200
"""Characters of an id that are logged."""

type OutcomeReport = ToolCallReported | SummaryReported
type Report = CallClaimed | CallNotStarted | OutcomeReport


class InboxClient:
    def __init__(self, publisher: Publisher) -> None:
        self._publisher = publisher

    async def report(self, session_id: str, report: Report) -> None:
        """Returns when the report is acknowledged. Repeats are harmless: its id is derived.

        A report that no record can hold is left out: only strangers name sessions so, and no owner waits for those.
        """

        def failed(problem: Exception, pause: float) -> None:
            log.warning("report.not_written", session_id=session_id, reason=str(problem), pause_seconds=round(pause, 1))

        try:
            await retry(
                lambda: self._publish_report(session_id, report),
                passes=was_not_written,
                failed=failed,
                pauses=draw_growing_pauses(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS),
            )
        except TooLargeError as problem:
            log.error("report.too_large", session_id=session_id[:LONGEST_ID], type=report.type, reason=str(problem))

    async def _publish_report(self, session_id: str, report: Report) -> None:
        await self._publisher.publish(
            self._publisher.topics.inbox,
            report,
            key=session_id,
            id=id_of(report),
            subject=session_id,
            traceparent=traceparent_of(session_id),
        )


def id_of(report: Report) -> str:
    match report:
        case CallClaimed():
            return report_id("claim", report.claim_id)
        case CallNotStarted():
            return report_id("not_started", report.claim_id)
        case ToolCallReported():
            return report_id("tool_result", report.call_id, report.claim_id)
        case SummaryReported():
            return report_id("summary_result", report.call_id, report.claim_id)


def outcome_of(report: OutcomeReport) -> str:
    """For the trace."""
    match report:
        case ToolCallReported():
            return report.outcome
        case SummaryReported():
            return "error" if report.error else "ok"
