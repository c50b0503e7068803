"""Ends of summaries, as events: what became of one, for which tool, and at which cost. Pure."""

from tarsy_contracts import events as e
from tarsy_contracts.conversation import Usage
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.wire.same_fields import copy_fields
from tarsy_session.state import Summary, ToolCallState


def complete_summary(call: ToolCallState, summary: Summary, reported: i.SummaryReported) -> e.SummaryCompleted:
    return copy_fields(e.SummaryCompleted, reported, **_summarized(call, summary))


def reuse_summary(call: ToolCallState, summary: Summary, earlier: e.SummaryCompleted) -> e.SummaryCompleted:
    """Nobody was asked: what the earlier one cost is on record there."""
    return e.SummaryCompleted(
        **_summarized(call, summary),
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
    return copy_fields(e.SummaryFailed, reported, **_summarized(call, summary), error=error)


def _summarized(call: ToolCallState, summary: Summary) -> dict[str, str]:
    """The fields that say which result it was."""
    requested = call.requested
    return {
        "summary_id": summary.requested.summary_id,
        "call_id": requested.call_id,
        "execution_id": requested.execution_id,
        "server": requested.server,
        "tool": requested.tool,
    }
