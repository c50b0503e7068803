"""Types of the timeline: what people see of a session, as changes."""

from typing import Literal

from pydantic import JsonValue

from tarsy_contracts.actions import ActionOutcome
from tarsy_contracts.chain import ParallelType, StageType, SuccessPolicy
from tarsy_contracts.events.execution import ExecutionOutcome, ExecutionSpec
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.wire.ids import timeline_event_id
from tarsy_contracts.wire.message import Value

type TimelineEventType = Literal[
    "llm_thinking",
    "llm_response",
    "llm_tool_call",
    "mcp_tool_summary",
    "final_analysis",
    "error",
    "alert_repeated",
    "alert_resolved",
    "request",
    "provider_fallback",
    "executive_summary",
    "runbook",
    "llm_wait",
    "llm_limit",
    "user_question",
    "approval",
    "missing_tools",
    "missing_labels",
    "skill_loaded",
    "google_search_result",
    "url_context_result",
    "code_execution",
    "native_tool",
    "budget",
    "review",
]
type TimelineStatus = Literal["streaming", "completed", "failed", "cancelled", "timed_out"]
type SessionStatus = Literal["pending", "in_progress", "cancelling", "completed", "failed", "cancelled", "timed_out"]
"""A session that was deleted has none: it is told once, as SessionRemoved."""
type StepStatus = Literal["pending", "active", "completed", "failed", "cancelled", "timed_out"]

ENDED = frozenset({"completed", "failed", "cancelled", "timed_out"})
"""Statuses of sessions, stages and executions that have ended."""

ROWS_PER_EVENT = 10
"""Timeline events that one event of the log may bring; their order is its number times this, plus their place."""


class TimelineCreated(Value):
    """A timeline event begins (`streaming`), or is there at once (any other status).

    Without an `execution_id` it belongs to the session as a whole.
    """

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
    executive_summary: str = ""
    executive_summary_error: str = ""
    partial_reason: str = ""
    evidence_limits: tuple[str, ...] = ()


class SessionRemoved(Value):
    """The session was deleted: nothing of it is shown any more."""


class StageDetails(Value):
    """The fields are those of `stage.started`."""

    stage_type: StageType
    chain_stage: int | None
    expected_agent_count: int
    parallel_type: ParallelType | None
    success_policy: SuccessPolicy | None
    referenced_stage_id: str | None


class StageChanged(Value):
    """`begun` is told once, when the stage begins, and `action` when one that acts has ended."""

    stage_id: str
    stage_name: str
    stage_index: int
    status: StepStatus
    error_message: str = ""
    begun: StageDetails | None = None
    action: ActionOutcome | None = None


class ExecutionChanged(Value):
    """`spec` is told once, when the agent begins, and `outcome` when it has ended."""

    execution_id: str
    stage_id: str
    agent_name: str
    agent_index: int
    status: StepStatus
    error_message: str = ""
    spec: ExecutionSpec | None = None
    outcome: ExecutionOutcome | None = None


class ChatCreated(Value):
    """Somebody asked the first question."""

    chat_id: str
    created_by: str


class ChatMessageAdded(Value):
    """Somebody asked a question. The reply is the stage `stage_id`."""

    chat_id: str
    message_id: str
    stage_id: str
    author: str
    content: str


type TimelineChange = (
    TimelineCreated
    | TimelineEnded
    | SessionChanged
    | SessionRemoved
    | StageChanged
    | ExecutionChanged
    | ChatCreated
    | ChatMessageAdded
)


def create_event(
    record: RecordedEvent,
    event_type: TimelineEventType,
    content: str,
    *,
    cause: str,
    execution_id: str | None = None,
    status: TimelineStatus = "completed",
    index: int = 0,
    metadata: dict[str, JsonValue] | None = None,
) -> TimelineCreated:
    """A timeline event at the place of `record`. `cause` is the id of what it shows."""
    return TimelineCreated(
        event_id=timeline_event_id(cause, event_type),
        execution_id=execution_id or None,
        event_type=event_type,
        status=status,
        content=content,
        metadata=metadata or {},
        sequence_number=record.number * ROWS_PER_EVENT + index,
    )
