"""Timeline of calls that wait for a person."""

from datetime import timedelta

from pydantic import JsonValue

from tarsy_contracts import events as e
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.timeline.model import TimelineCreated, TimelineEnded, TimelineStatus, create_event
from tarsy_contracts.wire.envelope import wire_time
from tarsy_contracts.wire.ids import timeline_event_id

STATUSES: dict[e.ApprovalOutcome, TimelineStatus] = {
    "approved": "completed",
    "denied": "completed",
    "expired": "timed_out",
    "cancelled": "cancelled",
}


def approval_begin(record: RecordedEvent, event: e.ToolCallApprovalRequested) -> TimelineCreated:
    """`expires_at` is the earliest end of the wait: an outage of ours postpones it."""
    metadata: dict[str, JsonValue] = {
        "call_id": event.call_id,
        "call_event_id": timeline_event_id(event.call_id, "llm_tool_call"),
        "server_name": event.server,
        "tool_name": event.tool,
        "arguments": event.arguments,
        "reason": event.reason,
        "role": event.role,
        "expires_at": wire_time(record.appended_at + timedelta(seconds=event.timeout_seconds)),
        "on_timeout": event.on_timeout,
    }
    if event.dry_run:
        metadata["dry_run_event_id"] = timeline_event_id(event.dry_run, "llm_tool_call")
    return create_event(
        record,
        "approval",
        f"The call of {event.server}.{event.tool} waits for somebody with the role {event.role}.",
        cause=event.call_id,
        execution_id=event.execution_id,
        status="streaming",
        metadata=metadata,
    )


def approval_end(event: e.ToolCallApprovalDecided) -> TimelineEnded:
    return TimelineEnded(
        event_id=timeline_event_id(event.call_id, "approval"),
        event_type="approval",
        status=STATUSES[event.outcome],
        content=_describe_outcome(event),
        metadata={"outcome": event.outcome, "author": event.author, "comment": event.comment},
    )


def _describe_outcome(event: e.ToolCallApprovalDecided) -> str:
    match event.outcome:
        case "approved" | "denied":
            comment = f" {event.comment}" if event.comment else ""
            return f"{event.author} {event.outcome} the call.{comment}"
        case "expired":
            return "Nobody decided in time. The call did not run."
        case "cancelled":
            return "The call was cancelled before anybody decided. It did not run."
