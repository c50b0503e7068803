"""Messages to clients, made of changes: pure. Their types are those of tarsy_contracts.api.websocket."""

from dataclasses import asdict
from typing import assert_never

from tarsy_contracts import events as e
from tarsy_contracts.api.websocket import (
    ChatStarted,
    ChatUserMessage,
    ExecutionStatusChanged,
    SessionGone,
    SessionStatusChanged,
    StageStatus,
    StageStatusChanged,
    TimelineEventCompleted,
    TimelineEventCreated,
)
from tarsy_contracts.events.execution import to_facts
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.timeline.changes import (
    ChatCreated,
    ChatMessageAdded,
    ExecutionChanged,
    SessionChanged,
    SessionRemoved,
    StageChanged,
    StepStatus,
    TimelineChange,
    TimelineCreated,
    TimelineEnded,
    timeline_changes,
)
from tarsy_contracts.timeline.display import display_cut, display_item
from tarsy_contracts.wire.envelope import wire_time
from tarsy_websocket_gateway.messages.outgoing import Outgoing, encode_logged
from tarsy_websocket_gateway.messages.watched_steps import WatchedSteps

STATUS_EVENTS = frozenset(
    {kind.type for kind in (e.SessionStarted, e.StageStarted, e.RequestAccepted, e.SessionDeleted)} | e.ENDINGS
)
"""Types of events that may change a session's status."""


def statuses(record: RecordedEvent) -> list[Outgoing]:
    """For clients that follow the status of sessions, and nothing else."""
    return [
        encode_logged(
            _session_message(record, change) if isinstance(change, SessionChanged) else _session_gone_message(record)
        )
        for change in timeline_changes(record)
        if isinstance(change, SessionChanged | SessionRemoved)
    ]


def of_change(
    record: RecordedEvent, change: TimelineChange, steps: WatchedSteps, *, streamed: bool = False
) -> Outgoing:
    """`streamed`: clients know the timeline event already, from chunks, so that this completes it."""
    match change:
        case SessionChanged():
            return encode_logged(_session_message(record, change))
        case SessionRemoved():
            return encode_logged(_session_gone_message(record))
        case StageChanged():
            return encode_logged(_stage_message(record, change, steps))
        case ExecutionChanged():
            return encode_logged(_execution_message(record, change))
        case ChatCreated():
            return encode_logged(_chat_started_message(record, change))
        case ChatMessageAdded():
            return encode_logged(_chat_user_message(record, change))
        case TimelineCreated():
            stage_id = steps.stage_of(change.execution_id)
            ended = streamed and change.status != "streaming"
            made = _completed_stream_message if ended else _created_message
            return encode_logged(made(record, change, stage_id))
        case TimelineEnded():
            return encode_logged(_completed_message(record, change))
        case _:
            assert_never(change)


def _session_message(record: RecordedEvent, change: SessionChanged) -> SessionStatusChanged:
    return SessionStatusChanged(
        type="session.status",
        status=change.status,
        final_analysis=change.final_analysis or None,
        error_message=change.error_message or None,
        executive_summary=change.executive_summary or None,
        executive_summary_error=change.executive_summary_error or None,
        partial_reason=change.partial_reason or None,
        evidence_limits=change.evidence_limits,
        session_id=record.session_id,
        timestamp=wire_time(record.envelope.time),
        number=record.number,
    )


def _session_gone_message(record: RecordedEvent) -> SessionGone:
    return SessionGone(
        type="session.deleted",
        session_id=record.session_id,
        timestamp=wire_time(record.envelope.time),
        number=record.number,
    )


def _stage_message(record: RecordedEvent, change: StageChanged, steps: WatchedSteps) -> StageStatusChanged:
    message = StageStatusChanged(
        type="stage.status",
        stage_id=change.stage_id,
        stage_name=change.stage_name,
        stage_index=change.stage_index,
        status=stage_status(change.status),
        error_message=change.error_message or None,
        session_id=record.session_id,
        timestamp=wire_time(record.envelope.time),
        number=record.number,
    )
    if change.action is not None:
        message = message.with_facts({"action": change.action})
    if change.begun is not None:
        return message.with_facts(change.begun.model_dump())
    begun = steps.stages.get(change.stage_id)
    return message if begun is None else message.with_facts(asdict(begun))


def _execution_message(record: RecordedEvent, change: ExecutionChanged) -> ExecutionStatusChanged:
    message = ExecutionStatusChanged(
        type="execution.status",
        stage_id=change.stage_id,
        execution_id=change.execution_id,
        agent_name=change.agent_name,
        agent_index=change.agent_index,
        status=change.status,
        error_message=change.error_message or None,
        session_id=record.session_id,
        timestamp=wire_time(record.envelope.time),
        number=record.number,
    )
    return message.with_facts(to_facts(change.spec, change.outcome))


def _chat_started_message(record: RecordedEvent, change: ChatCreated) -> ChatStarted:
    return ChatStarted(
        type="chat.created",
        chat_id=change.chat_id,
        created_by=change.created_by,
        session_id=record.session_id,
        timestamp=wire_time(record.envelope.time),
        number=record.number,
    )


def _chat_user_message(record: RecordedEvent, change: ChatMessageAdded) -> ChatUserMessage:
    content, _ = display_cut(change.content)
    return ChatUserMessage(
        type="chat.user_message",
        chat_id=change.chat_id,
        message_id=change.message_id,
        stage_id=change.stage_id,
        author=change.author,
        content=content,
        session_id=record.session_id,
        timestamp=wire_time(record.envelope.time),
        number=record.number,
    )


def _created_message(record: RecordedEvent, change: TimelineCreated, stage_id: str | None) -> TimelineEventCreated:
    content, metadata = display_item(change.content, change.metadata)
    return TimelineEventCreated(
        type="timeline_event.created",
        event_id=change.event_id,
        stage_id=stage_id,
        execution_id=change.execution_id,
        event_type=change.event_type,
        status=change.status,
        sequence_number=change.sequence_number,
        content=content,
        metadata=metadata,
        session_id=record.session_id,
        timestamp=wire_time(record.envelope.time),
        number=record.number,
    )


def _completed_stream_message(
    record: RecordedEvent, change: TimelineCreated, stage_id: str | None
) -> TimelineEventCompleted:
    content, metadata = display_item(change.content, change.metadata)
    return TimelineEventCompleted(
        type="timeline_event.completed",
        event_id=change.event_id,
        stage_id=stage_id,
        execution_id=change.execution_id,
        event_type=change.event_type,
        status=change.status,
        sequence_number=change.sequence_number,
        content=content,
        metadata=metadata,
        session_id=record.session_id,
        timestamp=wire_time(record.envelope.time),
        number=record.number,
    )


def _completed_message(record: RecordedEvent, change: TimelineEnded) -> TimelineEventCompleted:
    content, metadata = display_item(change.content, change.metadata)
    return TimelineEventCompleted(
        type="timeline_event.completed",
        event_id=change.event_id,
        event_type=change.event_type,
        status=change.status,
        content=content,
        metadata=metadata,
        session_id=record.session_id,
        timestamp=wire_time(record.envelope.time),
        number=record.number,
    )


def stage_status(status: StepStatus) -> StageStatus:
    """Go TARSy's word for a stage that runs."""
    return "started" if status == "active" else status


def encode_discarded(record: RecordedEvent, event_id: str, event_type: str) -> Outgoing:
    """The end of a part that came to nothing: the call failed, or nobody waits for it any longer."""
    return encode_logged(
        TimelineEventCompleted(
            type="timeline_event.completed",
            event_id=event_id,
            event_type=event_type,
            status="failed",
            content="",
            metadata={"discarded": True},
            session_id=record.session_id,
            timestamp=wire_time(record.envelope.time),
            number=record.number,
        )
    )
