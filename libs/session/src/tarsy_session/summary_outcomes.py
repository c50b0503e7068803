"""Ends of summaries, as events: what became of one, for which tool, and at which cost. Pure."""

from tarsy_contracts import events as e
from tarsy_contracts.conversation import Usage
from tarsy_contracts.messages import inputs as i
from tarsy_session.state import Summary, ToolCallState


def complete_summary(call: ToolCallState, summary: Summary, reported: i.SummaryReported) -> e.SummaryCompleted:
    requested = call.requested
    return e.SummaryCompleted(
        summary_id=summary.requested.summary_id,
        call_id=requested.call_id,
        execution_id=requested.execution_id,
        server=requested.server,
        tool=requested.tool,
        content=reported.content,
        usage=reported.usage,
        model=reported.model,
        duration_ms=reported.duration_ms,
        tokens_before=reported.tokens_before,
        tokens_after=reported.tokens_after,
        attempts=reported.attempts,
        request_digest=reported.request_digest,
        input_bytes=reported.input_bytes,
        cut=reported.cut,
    )


def reuse_summary(call: ToolCallState, summary: Summary, earlier: e.SummaryCompleted) -> e.SummaryCompleted:
    """Nobody was asked: what the earlier one cost is on record there."""
    requested = call.requested
    return e.SummaryCompleted(
        summary_id=summary.requested.summary_id,
        call_id=requested.call_id,
        execution_id=requested.execution_id,
        server=requested.server,
        tool=requested.tool,
        content=earlier.content,
        usage=Usage(),
        model=earlier.model,
        duration_ms=0,
        tokens_before=earlier.tokens_before,
        tokens_after=earlier.tokens_after,
        reused_from=earlier.reused_from or earlier.call_id,
    )


def fail_summary(
    call: ToolCallState, summary: Summary, error: str, reported: i.SummaryReported | None = None
) -> e.SummaryFailed:
    """Without a report it is unknown what was asked until then."""
    requested = call.requested
    return e.SummaryFailed(
        summary_id=summary.requested.summary_id,
        call_id=requested.call_id,
        execution_id=requested.execution_id,
        server=requested.server,
        tool=requested.tool,
        error=error,
        tokens_before=None if reported is None else reported.tokens_before,
        attempts=() if reported is None else reported.attempts,
        request_digest="" if reported is None else reported.request_digest,
        input_bytes=None if reported is None else reported.input_bytes,
    )
