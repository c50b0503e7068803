"""What people see of a session, and how it follows from the log.

One pure function for the projector and the live stream, so that history and live are the same by construction.
"""

from datetime import datetime
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
    raise NotImplementedError
