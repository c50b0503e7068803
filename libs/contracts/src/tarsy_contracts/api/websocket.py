"""WebSocket messages: what clients send, and what the websocket-gateway sends them.

Fields without a default are in every message. Fields with a default are sent once or never. A message without them
leaves them unchanged. Every message of a session has `session_id`, `timestamp` and `number`. `number` is that of the
event on the log, and null for streamed text, which is not on the log.
"""

from typing import Annotated, Literal, get_args

from pydantic import Field, TypeAdapter, ValidationError

from tarsy_contracts.actions import ActionOutcome
from tarsy_contracts.api.model import JsonObject
from tarsy_contracts.api.websocket_model import LoggedMessage, SessionMessage, WebSocketMessage, leave_default_out
from tarsy_contracts.api.websocket_progress import ExecutionProgressed, InteractionRecorded, SessionProgressed
from tarsy_contracts.chain import ParallelType, SuccessPolicy
from tarsy_contracts.events.execution import ExecutionFacts
from tarsy_contracts.timeline.model import SessionStatus, StepStatus, TimelineStatus

type StageStatus = Literal["pending", "started", "completed", "failed", "cancelled", "timed_out"]
"""`started` is Go TARSy's word for a stage that is active."""


class ClientAction(WebSocketMessage):
    """An action that a client asks for. `channel` is `sessions`, or `session:` and the id of one; a ping needs none.

    `last_event_id` is the client's highest `number` of a session. It gets the changes of that event and later ones
    instead of the whole history. `catchup` needs it, and a subscription; with `subscribe` it resumes one.
    Further fields mean nothing.
    """

    action: Literal["subscribe", "unsubscribe", "catchup", "ping"]
    channel: str = ""
    last_event_id: int | None = Field(None, ge=0, le=2**62)


class ConnectionEstablished(WebSocketMessage):
    """The first message of a connection."""

    type: Literal["connection.established"]
    connection_id: str


class Pong(WebSocketMessage):
    """The answer to a ping."""

    type: Literal["pong"]


class ActionRefused(WebSocketMessage):
    """The client's message could not be understood; `message` says why."""

    type: Literal["error"]
    message: str


class SubscriptionConfirmed(WebSocketMessage):
    """The channel is subscribed; its history follows, and then what happens.

    The history of a session ends with its `session.status`. A session that begins only now has none.
    `session_id` is sent where the alert with the id of the channel joined a session: that one, which is followed.
    """

    type: Literal["subscription.confirmed"]
    channel: str
    session_id: str | None = None


class SubscriptionDelayed(WebSocketMessage):
    """The channel cannot be subscribed yet; the gateway goes on by itself. Do nothing: its confirmation follows, or a
    `subscription.error`.
    """

    type: Literal["subscription.delayed"]
    channel: str
    message: str


class SubscriptionFailed(WebSocketMessage):
    """There is no subscription to the channel. `code` says why; it may get further values.

    `unknown_session`: nobody knows it, nor did it begin while the gateway waited for it. `unavailable`: its history
    cannot be read now. `too_much`: more happened meanwhile than could be kept back. Subscribe again later.
    """

    type: Literal["subscription.error"]
    channel: str
    message: str
    code: str = "unavailable"


class SessionStatusChanged(LoggedMessage):
    """Also on the channel `sessions`."""

    type: Literal["session.status"]
    status: SessionStatus
    final_analysis: str | None
    error_message: str | None
    executive_summary: str | None = None
    executive_summary_error: str | None = None
    partial_reason: str | None = None
    evidence_limits: tuple[str, ...] = ()


class SessionGone(LoggedMessage):
    """The session was deleted. Also on the channel `sessions`."""

    type: Literal["session.deleted"]


class StageStatusChanged(LoggedMessage):
    """A stage begins or ends. The fields from `stage_type` on are sent when it begins, `stage_type` and
    `referenced_stage_id` also when it ends. `action`: what a stage that acts has done, when it ends.
    """

    type: Literal["stage.status"]
    stage_id: str
    stage_name: str
    stage_index: int
    status: StageStatus
    error_message: str | None
    stage_type: str = "investigation"
    chain_stage: int | None = None
    expected_agent_count: int = 1
    parallel_type: ParallelType | None = None
    success_policy: SuccessPolicy | None = None
    referenced_stage_id: str | None = None
    action: ActionOutcome | None = None


class ExecutionStatusChanged(ExecutionFacts, LoggedMessage):
    """An agent begins or ends. How it is led is told when it begins, how it went when it has ended."""

    type: Literal["execution.status"]
    stage_id: str
    execution_id: str
    agent_name: str
    agent_index: int
    status: StepStatus
    error_message: str | None


class ChatStarted(LoggedMessage):
    """Somebody asked the finished investigation its first question."""

    type: Literal["chat.created"]
    chat_id: str
    created_by: str


class ChatUserMessage(LoggedMessage):
    """Somebody asked a question. `stage_id` is the stage of the reply."""

    type: Literal["chat.user_message"]
    chat_id: str
    message_id: str
    stage_id: str
    author: str
    content: str


class TimelineEventCreated(SessionMessage):
    """A timeline event begins (`streaming`), or is there at once (any other status). Its `number` may be null."""

    type: Literal["timeline_event.created"]
    event_id: str
    stage_id: str | None = None
    execution_id: str | None
    event_type: str
    status: TimelineStatus
    content: str
    metadata: JsonObject
    sequence_number: int
    number: int | None
    db_event_id: int | None = Field(None, json_schema_extra=leave_default_out)


class TimelineEventCompleted(LoggedMessage):
    """A timeline event has its final content. One that clients know from its stream alone is told with its place."""

    type: Literal["timeline_event.completed"]
    event_id: str
    event_type: str
    status: TimelineStatus
    content: str
    metadata: JsonObject
    stage_id: str | None = None
    execution_id: str | None = None
    sequence_number: int | None = None


class StreamMessage(SessionMessage):
    """A part of the live stream of the timeline event `event_id`. `run` increases when a call is started again."""

    event_id: str
    run: int
    number: None


class StreamedText(StreamMessage):
    """More text of a timeline event."""

    type: Literal["stream.chunk"]
    delta: str
    index: int


class StreamBegunAgain(StreamMessage):
    """The text of a timeline event begins again: what streamed of it so far is void."""

    type: Literal["stream.reset"]


class StreamedProgress(StreamMessage):
    """Progress that a running call reports, in a sentence."""

    type: Literal["stream.progress"]
    text: str
    index: int


type ServerMessage = (
    ConnectionEstablished
    | Pong
    | ActionRefused
    | SubscriptionConfirmed
    | SubscriptionDelayed
    | SubscriptionFailed
    | SessionStatusChanged
    | SessionGone
    | StageStatusChanged
    | ExecutionStatusChanged
    | ChatStarted
    | ChatUserMessage
    | TimelineEventCreated
    | TimelineEventCompleted
    | InteractionRecorded
    | SessionProgressed
    | ExecutionProgressed
    | StreamedText
    | StreamBegunAgain
    | StreamedProgress
)

SERVER_MESSAGES: dict[str, type[ServerMessage]] = {
    get_args(kind.model_fields["type"].annotation)[0]: kind for kind in ServerMessage.__value__.__args__
}
_READER: TypeAdapter[ServerMessage] = TypeAdapter(Annotated[ServerMessage, Field(discriminator="type")])
_UNKNOWN = "union_tag_invalid"


def read_message(text: str | bytes) -> ServerMessage | None:
    """A message of the gateway; None of a type that is not known here: clients skip it. Raises ValidationError."""
    try:
        return _READER.validate_json(text)
    except ValidationError as problem:
        if any(row["type"] == _UNKNOWN for row in problem.errors(include_url=False, include_input=False)):
            return None
        raise
