"""What goes to clients: pure. Every message of a session has type, session_id, timestamp and number.

`number` is the log's number of the event that brought it; null for what streams, which is on no log.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import assert_never

from pydantic import JsonValue

from tarsy_contracts.display import display_cut
from tarsy_contracts.envelope import wire_time
from tarsy_contracts.recorded import Recorded
from tarsy_contracts.timeline import (
    ExecutionBegun,
    ExecutionChanged,
    ExecutionDone,
    SessionChanged,
    StageBegun,
    StageChanged,
    StepStatus,
    TimelineChange,
    TimelineCreated,
    TimelineEnded,
)

type Payload = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Outgoing:
    """Serialised once, for however many clients. `event_id` names the timeline event that it is about."""

    type: str
    text: str
    number: int | None
    event_id: str | None


def outgoing(payload: Payload) -> Outgoing:
    number, event_id = payload.get("number"), payload.get("event_id")
    return Outgoing(
        type=str(payload["type"]),
        text=json.dumps(payload),
        number=number if isinstance(number, int) else None,
        event_id=event_id if isinstance(event_id, str) else None,
    )


def of_change(record: Recorded, change: TimelineChange, *, streamed: bool) -> Outgoing:
    """`streamed`: clients know the timeline event already, from chunks, so that this completes it."""
    return outgoing(
        {
            **_of_change(change, streamed),
            "session_id": record.session_id,
            "timestamp": wire_time(record.envelope.time),
            "number": record.number,
        }
    )


def _of_change(change: TimelineChange, streamed: bool) -> Payload:
    match change:
        case SessionChanged():
            names = ("final_analysis", "error_message", "executive_summary", "executive_summary_error")
            texts = {name: getattr(change, name) or None for name in names}
            return {"type": "session.status", "status": change.status, **texts}
        case StageChanged():
            return {
                "type": "stage.status",
                "stage_id": change.stage_id,
                "stage_name": change.stage_name,
                "stage_index": change.stage_index,
                "status": stage_status(change.status),
                "error_message": change.error_message or None,
                **_facts(change.begun),
            }
        case ExecutionChanged():
            return {
                "type": "execution.status",
                "stage_id": change.stage_id,
                "execution_id": change.execution_id,
                "agent_name": change.agent_name,
                "agent_index": change.agent_index,
                "status": change.status,
                "error_message": change.error_message or None,
                **_facts(change.begun),
                **_facts(change.done),
            }
        case TimelineCreated():
            ended = streamed and change.status != "streaming"
            return {
                "type": "timeline_event.completed" if ended else "timeline_event.created",
                "event_id": change.event_id,
                "execution_id": change.execution_id,
                "event_type": change.event_type,
                "status": change.status,
                "sequence_number": change.sequence_number,
                **_shown(change.content, change.metadata),
            }
        case TimelineEnded():
            return {
                "type": "timeline_event.completed",
                "event_id": change.event_id,
                "event_type": change.event_type,
                "status": change.status,
                **_shown(change.content, change.metadata),
            }
        case _:
            assert_never(change)


def stage_status(status: StepStatus | str) -> str:
    """Go TARSy's word for a stage that runs."""
    return "started" if status == "active" else status


def _facts(told: StageBegun | ExecutionBegun | ExecutionDone | None) -> Payload:
    """Told once: a message without them leaves them as they were."""
    return {} if told is None else told.model_dump()


def _shown(content: str, metadata: dict[str, JsonValue]) -> Payload:
    shown, cut = display_cut(content)
    return {"content": shown, "metadata": {**metadata, "display_cut": True} if cut else metadata}


def discarded(record: Recorded, event_id: str, event_type: str) -> Outgoing:
    """What had streamed came to nothing: the call failed, or nobody waits for it any longer."""
    return outgoing(
        {
            "type": "timeline_event.completed",
            "event_id": event_id,
            "event_type": event_type,
            "status": "failed",
            "content": "",
            "metadata": {"discarded": True},
            "session_id": record.session_id,
            "timestamp": wire_time(record.envelope.time),
            "number": record.number,
        }
    )


def streaming(session_id: str, time: datetime, type: str, event_id: str, **fields: object) -> Outgoing:
    """A message of what streams."""
    head = {"type": type, "event_id": event_id, "session_id": session_id}
    return outgoing({**head, **fields, "timestamp": wire_time(time), "number": None})
