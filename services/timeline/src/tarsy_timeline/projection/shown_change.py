"""From a change of the timeline to the change of its row: pure."""

from datetime import datetime
from typing import assert_never

from pydantic import JsonValue

from tarsy_contracts import events as e
from tarsy_contracts.actions import ActionOutcome
from tarsy_contracts.events.execution import ExecutionOutcome, ExecutionSpec
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.timeline.changes import (
    ChatCreated,
    ChatMessageAdded,
    ExecutionChanged,
    SessionChanged,
    SessionRemoved,
    StageChanged,
    TimelineChange,
    TimelineCreated,
    TimelineEnded,
)
from tarsy_contracts.timeline.display import display_item
from tarsy_contracts.timeline.model import ENDED
from tarsy_timeline.database.postgres_text import to_postgres_text
from tarsy_timeline.rows import row_changes as r
from tarsy_timeline.rows.found_result import LOG_OFFSET
from tarsy_timeline.rows.row_changes import RowChange


def to_row_change(record: RecordedEvent, change: TimelineChange) -> RowChange:
    session_id, time = record.session_id, record.envelope.time
    match change:
        case SessionRemoved():
            return r.SessionRemoval(session_id, time)
        case SessionChanged():
            return _session(record, change)
        case ChatCreated():
            return r.ChatStart(session_id, change.chat_id)
        case ChatMessageAdded():
            return r.ChatMessageCount(session_id)
        case StageChanged():
            return _stage(record, change)
        case ExecutionChanged():
            return _execution(record, change)
        case TimelineCreated():
            return _item(record, change)
        case TimelineEnded():
            shown = _shown(change.content, {**change.metadata, **_result_position(record)})
            return r.TimelineEnd(change.event_id, change.status, *shown, time, record.number)
        case _:
            assert_never(change)


def _session(record: RecordedEvent, change: SessionChanged) -> RowChange:
    time = record.envelope.time
    return r.SessionUpdate(
        session_id=record.session_id,
        status=change.status,
        final_analysis=change.final_analysis or None,
        error_message=change.error_message or None,
        executive_summary=change.executive_summary or None,
        executive_summary_error=change.executive_summary_error or None,
        started_at=time if change.status == "in_progress" else None,
        completed_at=_end(change.status, time),
        partial_reason=change.partial_reason or None,
        evidence_limits=list(change.evidence_limits),
    )


def _stage(record: RecordedEvent, change: StageChanged) -> RowChange:
    time = record.envelope.time
    return r.StageUpdate(
        stage_id=change.stage_id,
        session_id=record.session_id,
        stage_name=change.stage_name,
        stage_index=change.stage_index,
        status=change.status,
        error_message=change.error_message or None,
        started_at=time,
        completed_at=_end(change.status, time),
        number=record.number,
        action=_json(change.action),
    )


def _execution(record: RecordedEvent, change: ExecutionChanged) -> RowChange:
    time = record.envelope.time
    return r.ExecutionUpdate(
        execution_id=change.execution_id,
        session_id=record.session_id,
        stage_id=change.stage_id,
        agent_name=change.agent_name,
        agent_index=change.agent_index,
        status=change.status,
        error_message=change.error_message or None,
        started_at=time,
        completed_at=_end(change.status, time),
        number=record.number,
        spec=_json(change.spec),
        outcome=_json(change.outcome),
        llm_provider=None if change.spec is None else change.spec.llm_provider or None,
    )


def _item(record: RecordedEvent, change: TimelineCreated) -> RowChange:
    content, metadata = _shown(change.content, change.metadata)
    return r.TimelineStart(
        event_id=change.event_id,
        session_id=record.session_id,
        execution_id=change.execution_id,
        event_type=change.event_type,
        status=change.status,
        content=content,
        metadata=metadata,
        sequence_number=change.sequence_number,
        created_at=record.envelope.time,
        updated_at=record.envelope.time,
        number=record.number,
    )


def _shown(content: str, metadata: dict[str, JsonValue]) -> tuple[str, JsonValue]:
    return display_item(to_postgres_text(content), metadata)


def _json(facts: ExecutionSpec | ExecutionOutcome | ActionOutcome | None) -> JsonValue:
    return None if facts is None else facts.model_dump(mode="json")


def _result_position(record: RecordedEvent) -> dict[str, JsonValue]:
    """Where a result is read that is too long for the row."""
    return {LOG_OFFSET: record.offset} if isinstance(record.event, e.ToolCallCompleted) else {}


def _end(status: str, time: datetime) -> datetime | None:
    return time if status in ENDED else None
