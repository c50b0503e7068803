"""Timeline of a session: what people see of it, and how it follows from the log.

One pure function for the projector and the live stream, so that history and live are the same by construction. It
sees one event at a time, so that a reader may begin anywhere.
"""

from collections.abc import Iterator
from datetime import UTC
from typing import assert_never

from tarsy_contracts import events as e
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.events.session import describe_cancel
from tarsy_contracts.timeline.approvals import approval_begin, approval_end
from tarsy_contracts.timeline.budgets import budget_decision, budget_end, budget_warning
from tarsy_contracts.timeline.calls import (
    LLM_EVENT_TYPES,
    llm_answer,
    llm_failure,
    llm_limit,
    llm_timeline_event_id,
    llm_wait,
    summary_begin,
    summary_end,
    tool_call,
    tool_result,
)
from tarsy_contracts.timeline.chat import question, show_accepted_request, show_refused_request
from tarsy_contracts.timeline.model import (
    ROWS_PER_EVENT,
    ChatCreated,
    ChatMessageAdded,
    ExecutionChanged,
    SessionChanged,
    SessionRemoved,
    SessionStatus,
    StageChanged,
    StageDetails,
    StepStatus,
    TimelineChange,
    TimelineCreated,
    TimelineEnded,
    TimelineEventType,
    TimelineStatus,
    create_event,
)
from tarsy_contracts.timeline.native_calls import NATIVE_EVENT_TYPES
from tarsy_contracts.timeline.review import review_change
from tarsy_contracts.timeline.steps import execution_begin, execution_end, fallback, stage_begin, stage_end
from tarsy_contracts.wire.same_fields import copy_fields

__all__ = [
    "LLM_EVENT_TYPES",
    "NATIVE_EVENT_TYPES",
    "ROWS_PER_EVENT",
    "ChatCreated",
    "ChatMessageAdded",
    "ExecutionChanged",
    "SessionChanged",
    "SessionRemoved",
    "SessionStatus",
    "StageChanged",
    "StageDetails",
    "StepStatus",
    "TimelineChange",
    "TimelineCreated",
    "TimelineEnded",
    "TimelineEventType",
    "TimelineStatus",
    "llm_timeline_event_id",
    "timeline_changes",
]


REPEATS_SHOWN = 50
"""Repetitions that the timeline shows. The session counts all of them."""


def timeline_changes(record: RecordedEvent) -> list[TimelineChange]:
    """The changes that an accepted event makes to the timeline. An unknown type changes nothing."""
    if record.event is None:
        return []
    return list(_changes(record, record.event))


def _changes(record: RecordedEvent, event: e.Event) -> Iterator[TimelineChange]:  # noqa: C901 - one case an event type
    match event:
        case e.BudgetWarned():
            yield budget_warning(record, event)
        case e.BudgetReached():
            yield budget_end(record, event)
        case e.BudgetDecided():
            yield budget_decision(record, event)
        case e.ReviewChanged():
            yield review_change(record, event)
        case e.SessionStarted():
            yield SessionChanged(status="pending")
        case e.AlertRepeated():
            if event.total <= REPEATS_SHOWN or event.news:
                yield create_event(record, "alert_repeated", _repetition(event), cause=record.envelope.id)
        case e.AlertResolved():
            yield create_event(record, "alert_resolved", _resolution(event), cause=record.envelope.id)
        case e.StageStarted():
            yield from stage_begin(event)
        case e.ExecutionStarted():
            yield from execution_begin(record, event)
        case e.LlmCallRequested():
            yield from llm_wait(record, event)
            yield from llm_limit(record, event)
        case e.LlmCallCompleted():
            yield from llm_answer(record, event)
        case e.LlmCallFailed():
            yield from llm_failure(record, event)
        case e.ProviderFellBack():
            yield fallback(record, event)
        case e.ToolCallRequested():
            yield tool_call(record, event)
        case e.ToolCallStarted() | e.ToolCallReleased() | e.SummaryStarted() | e.SummaryReleased():
            return
        case e.SessionSkillsRecorded() | e.StageToolsOffered() | e.StageApprovalsRequired():
            return
        case e.MemoryLearned() | e.MemoryReinforced() | e.MemoryDeprecated() | e.MemoryEdited() | e.MemoryErased():
            return
        case e.ToolCallApprovalRequested():
            yield approval_begin(record, event)
        case e.ToolCallApprovalDecided():
            yield approval_end(event)
        case e.ToolCallCompleted():
            yield tool_result(record, event)
        case e.ToolCallOutcomeLearned():
            text = f"The outcome of a call that had ended as unknown is known now ({event.outcome}): {event.content}"
            yield create_event(record, "error", text, cause=record.envelope.id)
        case e.SummaryRequested():
            yield summary_begin(record, event)
        case e.SummaryCompleted() | e.SummaryFailed():
            yield summary_end(event)
        case e.ExecutionCompleted():
            yield from execution_end(record, event)
        case e.StageCompleted():
            yield stage_end(event)
        case e.RequestAccepted():
            yield from show_accepted_request(record, event)
        case e.RequestRefused():
            yield show_refused_request(record, event)
        case e.SessionReopened() | e.ReplyCompleted() | e.PhaseRequested() | e.PhaseCompleted():
            return
        case e.QuestionAsked():
            yield from question(record, event)
        case e.SessionReleased():
            text = f"{event.author} asked: {event.request}. The session had been set aside."
            yield create_event(record, "request", text, cause=event.request_id)
        case e.SessionCompleted():
            if event.labels_error:
                yield create_event(record, "missing_labels", event.labels_error, cause=record.session_id)
            yield copy_fields(SessionChanged, event, status="completed")
        case e.SessionFailed():
            yield SessionChanged(status="failed", error_message=event.error)
        case e.SessionTimedOut():
            yield SessionChanged(status="timed_out", error_message=event.error)
        case e.SessionDeleted():
            yield SessionRemoved()
        case e.SessionCancelled():
            yield SessionChanged(
                status="cancelled", error_message=event.reason or describe_cancel(event.author, event.comment)
            )
        case _:
            assert_never(event)


def _repetition(event: e.AlertRepeated) -> str:
    times = "again" if event.count == 1 else f"{event.count} more times"
    text = f"The same alert arrived {times} ({event.source})."
    return f"{text}\n\n{event.news}" if event.news else text


def _resolution(event: e.AlertResolved) -> str:
    since = "" if event.ends_at is None else f" It ended at {event.ends_at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC."
    return f"The alert is resolved ({event.source}).{since}"
