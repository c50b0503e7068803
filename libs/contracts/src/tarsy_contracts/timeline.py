"""What people see of a session, and how it follows from the log.

One pure function for the projector and the live stream, so that history and live are the same by construction.
"""

from collections.abc import Iterator
from typing import Literal, assert_never

from pydantic import JsonValue

from tarsy_contracts import events as e
from tarsy_contracts.identities import timeline_event_id
from tarsy_contracts.message import Value
from tarsy_contracts.recorded import Recorded

type TimelineEventType = Literal[
    "llm_thinking",
    "llm_response",
    "llm_tool_call",
    "mcp_tool_summary",
    "final_analysis",
    "error",
    "alert_repeated",
    "request",
    "provider_fallback",
    "executive_summary",
]
type TimelineStatus = Literal["streaming", "completed", "failed", "cancelled", "timed_out"]
type SessionStatus = Literal["pending", "in_progress", "cancelling", "completed", "failed", "cancelled", "timed_out"]
type StepStatus = Literal["pending", "active", "completed", "failed", "cancelled", "timed_out"]

PLACES = 10
"""Timeline events that one event of the log may bring; their order is its number times this, plus their place."""


class TimelineCreated(Value):
    """A timeline event begins (`streaming`), or is there at once (any other status)."""

    event_id: str
    execution_id: str | None
    event_type: TimelineEventType
    status: TimelineStatus
    content: str
    metadata: dict[str, JsonValue]
    sequence_number: int


class TimelineEnded(Value):
    """A streaming timeline event gets its final content. `metadata` is added to what it had."""

    event_id: str
    event_type: TimelineEventType
    status: TimelineStatus
    content: str
    metadata: dict[str, JsonValue]


class SessionChanged(Value):
    status: SessionStatus
    final_analysis: str = ""
    error_message: str = ""


class StageChanged(Value):
    stage_id: str
    stage_name: str
    stage_index: int
    status: StepStatus
    error_message: str = ""


class ExecutionChanged(Value):
    execution_id: str
    stage_id: str
    agent_name: str
    agent_index: int
    status: StepStatus
    error_message: str = ""


type TimelineChange = TimelineCreated | TimelineEnded | SessionChanged | StageChanged | ExecutionChanged


def timeline_changes(record: Recorded) -> list[TimelineChange]:
    """What an accepted event changes of what people see. An unknown type changes nothing."""
    if record.event is None:
        return []
    return list(_changes(record, record.event))


def llm_timeline_event_id(llm_call_id: str, part: Literal["thinking", "text"]) -> str:
    """The timeline event that an LLM's chunks belong to."""
    return timeline_event_id(llm_call_id, LLM_EVENT_TYPES[part])


LLM_EVENT_TYPES: dict[Literal["thinking", "text"], TimelineEventType] = {
    "thinking": "llm_thinking",
    "text": "llm_response",
}


def _changes(record: Recorded, event: e.Event) -> Iterator[TimelineChange]:  # noqa: C901 - one case an event type
    match event:
        case e.SessionStarted():
            yield SessionChanged(status="in_progress")
        case e.AlertRepeated():
            text = f"The same alert arrived again ({event.source})."
            yield _at_once(record, "alert_repeated", text, cause=record.envelope.id)
        case e.StageStarted():
            yield StageChanged(stage_id=event.stage_id, stage_name=event.name, stage_index=event.index, status="active")
        case e.ExecutionStarted():
            yield ExecutionChanged(
                execution_id=event.execution_id,
                stage_id=event.stage_id,
                agent_name=event.agent,
                agent_index=event.index,
                status="active",
            )
        case e.LlmCallRequested():
            return
        case e.LlmCallCompleted():
            yield from _llm_answer(record, event)
        case e.LlmCallFailed():
            yield _at_once(record, "error", event.error, cause=event.llm_call_id, execution_id=event.execution_id)
        case e.ProviderFellBack():
            text = f"{event.from_provider} did not answer ({event.error}). From here on {event.to_provider} is asked."
            yield _at_once(
                record,
                "provider_fallback",
                text,
                cause=record.envelope.id,
                execution_id=event.execution_id,
                metadata={"from": event.from_provider, "to": event.to_provider, "kind": event.kind},
            )
        case e.ToolCallRequested():
            yield _tool_call(record, event)
        case e.ToolCallStarted() | e.ToolCallReleased() | e.SummaryStarted() | e.SummaryReleased():
            return
        case e.ToolCallCompleted():
            yield _tool_result(event)
        case e.ToolCallOutcomeLearned():
            text = f"The outcome of a call that had ended as unknown is known now ({event.outcome}): {event.content}"
            yield _at_once(record, "error", text, cause=record.envelope.id)
        case e.SummaryRequested():
            yield TimelineCreated(
                event_id=timeline_event_id(event.summary_id, "mcp_tool_summary"),
                execution_id=event.execution_id,
                event_type="mcp_tool_summary",
                status="streaming",
                content="",
                metadata={"call_event_id": timeline_event_id(event.call_id, "llm_tool_call")},
                sequence_number=record.number * PLACES,
            )
        case e.SummaryCompleted():
            yield _summary_end(event.summary_id, "completed", event.content)
        case e.SummaryFailed():
            yield _summary_end(event.summary_id, "failed", event.error)
        case e.ExecutionCompleted():
            yield from _execution_end(record, event)
        case e.StageCompleted():
            yield StageChanged(
                stage_id=event.stage_id,
                stage_name=event.name,
                stage_index=event.index,
                status=event.status,
                error_message=event.error,
            )
        case e.RequestAccepted():
            text = f"{event.author} asked: {event.request}."
            yield _at_once(record, "request", text, cause=event.request_id)
            if event.request == e.CANCEL:
                yield SessionChanged(status="cancelling")
        case e.RequestRefused():
            text = f"{event.author} asked: {event.request}. Refused: {event.reason}"
            yield _at_once(record, "request", text, cause=event.request_id)
        case e.SessionCompleted():
            yield SessionChanged(status="completed", final_analysis=event.final_analysis)
        case e.SessionFailed():
            yield SessionChanged(status="failed", error_message=event.error)
        case e.SessionTimedOut():
            yield SessionChanged(status="timed_out", error_message=event.error)
        case e.SessionCancelled():
            yield SessionChanged(status="cancelled", error_message=f"cancelled by {event.author}")
        case _:
            assert_never(event)


def _at_once(
    record: Recorded,
    event_type: TimelineEventType,
    content: str,
    *,
    cause: str,
    execution_id: str | None = None,
    place: int = 0,
    metadata: dict[str, JsonValue] | None = None,
) -> TimelineCreated:
    return TimelineCreated(
        event_id=timeline_event_id(cause, event_type),
        execution_id=execution_id,
        event_type=event_type,
        status="completed",
        content=content,
        metadata=metadata or {},
        sequence_number=record.number * PLACES + place,
    )


def _llm_answer(record: Recorded, event: e.LlmCallCompleted) -> Iterator[TimelineCreated]:
    metadata: dict[str, JsonValue] = {"model": event.model, "duration_ms": event.duration_ms}
    for place, (part, text) in enumerate((("thinking", event.thinking), ("text", event.text))):
        if text:
            yield _at_once(
                record,
                "llm_thinking" if part == "thinking" else "llm_response",
                text,
                cause=event.llm_call_id,
                execution_id=event.execution_id,
                place=place,
                metadata=metadata,
            )


def _tool_call(record: Recorded, event: e.ToolCallRequested) -> TimelineCreated:
    return TimelineCreated(
        event_id=timeline_event_id(event.call_id, "llm_tool_call"),
        execution_id=event.execution_id,
        event_type="llm_tool_call",
        status="streaming",
        content="",
        metadata={
            "server_name": event.server,
            "tool_name": event.tool,
            "arguments": event.arguments,
            "repeatable": event.repeatable,
        },
        sequence_number=record.number * PLACES,
    )


def _tool_result(event: e.ToolCallCompleted) -> TimelineEnded:
    status: TimelineStatus = "completed"
    if event.outcome == "cancelled":
        status = "cancelled"
    elif event.outcome in ("unavailable", "unknown"):
        status = "failed"
    return TimelineEnded(
        event_id=timeline_event_id(event.call_id, "llm_tool_call"),
        event_type="llm_tool_call",
        status=status,
        content=event.content,
        metadata={
            "outcome": event.outcome,
            "is_error": event.outcome != "ok",
            "cut": event.cut,
            "size": event.size,
            "lines": event.lines,
            "duration_ms": event.duration_ms,
        },
    )


def _summary_end(summary_id: str, status: TimelineStatus, content: str) -> TimelineEnded:
    return TimelineEnded(
        event_id=timeline_event_id(summary_id, "mcp_tool_summary"),
        event_type="mcp_tool_summary",
        status=status,
        content=content,
        metadata={},
    )


def _execution_end(record: Recorded, event: e.ExecutionCompleted) -> Iterator[TimelineChange]:
    if event.final_analysis:
        yield _at_once(
            record, "final_analysis", event.final_analysis, cause=event.execution_id, execution_id=event.execution_id
        )
    yield ExecutionChanged(
        execution_id=event.execution_id,
        stage_id=event.stage_id,
        agent_name=event.agent,
        agent_index=event.index,
        status=event.status,
        error_message=event.error,
    )
