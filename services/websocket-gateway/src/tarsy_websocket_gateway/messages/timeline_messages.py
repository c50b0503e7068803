"""Messages to clients, made of changes: pure. Their types are those of tarsy_contracts.api.websocket."""

from dataclasses import asdict
from typing import assert_never, get_args

from tarsy_contracts import events as e
from tarsy_contracts.api.websocket import (
    ChatStarted,
    ChatUserMessage,
    ExecutionStatusChanged,
    ServerMessage,
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
from tarsy_contracts.wire.same_fields import copy_fields
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
            _session_message(record, change)
            if isinstance(change, SessionChanged)
            else _make_message(SessionGone, record)
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
            return encode_logged(_make_message(SessionGone, record))
        case StageChanged():
            return encode_logged(_stage_message(record, change, steps))
        case ExecutionChanged():
            return encode_logged(_execution_message(record, change))
        case ChatCreated():
            return encode_logged(_make_message(ChatStarted, record, change))
        case ChatMessageAdded():
            return encode_logged(_make_message(ChatUserMessage, record, change, content=display_cut(change.content)[0]))
        case TimelineCreated():
            kind = TimelineEventCompleted if streamed and change.status != "streaming" else TimelineEventCreated
            stage_id = steps.stage_of(change.execution_id)
            return encode_logged(_timeline_event_message(kind, record, change, stage_id=stage_id))
        case TimelineEnded():
            return encode_logged(_timeline_event_message(TimelineEventCompleted, record, change))
        case _:
            assert_never(change)


def _make_message[M: ServerMessage](kind: type[M], record: RecordedEvent, change: object = None, **others: object) -> M:
    """A message with the fields of the change that have the same names. One without an error tells null."""
    type, envelope = get_args(kind.model_fields["type"].annotation)[0], record.envelope
    told = {
        "type": type,
        "session_id": envelope.subject,
        "timestamp": wire_time(envelope.time),
        "number": record.number,
    }
    return copy_fields(kind, change, **told, **others)


def _session_message(record: RecordedEvent, change: SessionChanged) -> SessionStatusChanged:
    texts = ("final_analysis", "error_message", "executive_summary", "executive_summary_error", "partial_reason")
    return _make_message(
        SessionStatusChanged, record, change, **{name: getattr(change, name) or None for name in texts}
    )


def _stage_message(record: RecordedEvent, change: StageChanged, steps: WatchedSteps) -> StageStatusChanged:
    message = _make_message(
        StageStatusChanged,
        record,
        stage_id=change.stage_id,
        stage_name=change.stage_name,
        stage_index=change.stage_index,
        status=stage_status(change.status),
        error_message=change.error_message or None,
    )
    if change.action is not None:
        message = message.with_facts({"action": change.action})
    if change.begun is not None:
        return message.with_facts(change.begun.model_dump())
    begun = steps.stages.get(change.stage_id)
    return message if begun is None else message.with_facts(asdict(begun))


def _execution_message(record: RecordedEvent, change: ExecutionChanged) -> ExecutionStatusChanged:
    message = _make_message(ExecutionStatusChanged, record, change, error_message=change.error_message or None)
    return message.with_facts(to_facts(change.spec, change.outcome))


def _timeline_event_message[M: TimelineEventCreated | TimelineEventCompleted](
    kind: type[M], record: RecordedEvent, change: TimelineCreated | TimelineEnded, **others: object
) -> M:
    content, metadata = display_item(change.content, change.metadata)
    return _make_message(kind, record, change, content=content, metadata=metadata, **others)


def stage_status(status: StepStatus) -> StageStatus:
    """Go TARSy's word for a stage that runs."""
    return "started" if status == "active" else status


def encode_discarded(record: RecordedEvent, event_id: str, event_type: str) -> Outgoing:
    """The end of a part that came to nothing: the call failed, or nobody waits for it any longer."""
    return encode_logged(
        _make_message(
            TimelineEventCompleted,
            record,
            event_id=event_id,
            event_type=event_type,
            status="failed",
            content="",
            metadata={"discarded": True},
        )
    )
