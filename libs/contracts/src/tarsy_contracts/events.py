"""The events of the session log: what happened, in the past tense.

The table EVENTS names every type that this version knows. Types and fields are only ever added.
"""

from typing import ClassVar, Literal

from pydantic import JsonValue

from tarsy_contracts.alert import Alert, AlertSource
from tarsy_contracts.chain import ResolvedChain
from tarsy_contracts.conversation import ToolCall, ToolDefinition, Usage
from tarsy_contracts.message import Message, Value

type Outcome = Literal["ok", "tool_error", "unavailable", "rejected", "cancelled", "unknown"]
type EndStatus = Literal["completed", "failed", "cancelled", "timed_out"]
type LlmPurpose = Literal["iteration", "conclusion"]
type ReleaseReason = Literal["busy", "not_started", "worker_died"]


class SessionStarted(Message):
    """The first event of a session. The plan is fixed here: an old session is explained by the rules it ran under."""

    type: ClassVar[str] = "session.started"
    input_id: str
    alert: Alert
    chain: ResolvedChain


class AlertRepeated(Message):
    """The same alert arrived again, and met its session."""

    type: ClassVar[str] = "alert.repeated"
    input_id: str
    source: AlertSource


class StageStarted(Message):
    """A stage begins. `index` is its place in the chain, from 1."""

    type: ClassVar[str] = "stage.started"
    stage_id: str
    index: int
    name: str


class OfferedTool(Value):
    """A tool that the agent may call in this execution, as the catalog described it when the execution started.

    `repeatable` says that running it twice is harmless (its server calls it read-only or idempotent).
    """

    server: str
    tool: str
    repeatable: bool
    definition: ToolDefinition


class ExecutionStarted(Message):
    """An agent begins. Its instructions, prompt and tools are fixed here, so that any owner goes on with the same."""

    type: ClassVar[str] = "execution.started"
    execution_id: str
    stage_id: str
    agent: str
    index: int
    system: str
    prompt: str
    tools: tuple[OfferedTool, ...]
    unavailable_servers: tuple[str, ...] = ()


class LlmCallRequested(Message):
    """The session owes a question to a model. A failed one is asked again as the next `attempt`."""

    type: ClassVar[str] = "llm_call.requested"
    llm_call_id: str
    execution_id: str
    iteration: int
    attempt: int
    purpose: LlmPurpose


class LlmCallCompleted(Message):
    """The model's answer, and the tools that it asks for. `opaque` is what the provider wants back unchanged."""

    type: ClassVar[str] = "llm_call.completed"
    llm_call_id: str
    execution_id: str
    thinking: str
    text: str
    tool_calls: tuple[ToolCall, ...]
    usage: Usage
    model: str
    duration_ms: int
    opaque: JsonValue = None


class LlmCallFailed(Message):
    """No answer came. When it is `retryable` and attempts are left, another follows; else the execution fails."""

    type: ClassVar[str] = "llm_call.failed"
    llm_call_id: str
    execution_id: str
    error: str
    retryable: bool


class ToolCallRequested(Message):
    """The session owes a call of a tool. An unrepeatable one runs only on a grant."""

    type: ClassVar[str] = "tool_call.requested"
    call_id: str
    execution_id: str
    llm_call_id: str
    server: str
    tool: str
    arguments: dict[str, JsonValue]
    repeatable: bool
    timeout_seconds: float


class ToolCallStarted(Message):
    """The first claim that was decided. An unrepeatable tool runs on this claim, and on no other."""

    type: ClassVar[str] = "tool_call.started"
    call_id: str
    claim_id: str
    worker_id: str


class ToolCallReleased(Message):
    """The claim is void, the call was not made (or may be made again): it is free for another claim."""

    type: ClassVar[str] = "tool_call.released"
    call_id: str
    claim_id: str
    reason: ReleaseReason


class Piece(Value):
    offset: int
    size: int


class StoredResult(Value):
    """Where a masked original lies that was too large for the log: pieces in order, all in one partition."""

    partition: int
    pieces: tuple[Piece, ...]
    size: int
    lines: int


class ToolCallCompleted(Message):
    """`content` is what fits inline; `cut` says that it is not all, and `stored` where the whole lies.

    `size` is in bytes and `lines` in lines, both of the whole masked result.
    """

    type: ClassVar[str] = "tool_call.completed"
    call_id: str
    outcome: Outcome
    content: str
    cut: bool = False
    size: int = 0
    lines: int = 0
    stored: StoredResult | None = None
    claim_id: str | None = None
    worker_id: str | None = None
    duration_ms: int | None = None


class ToolCallOutcomeLearned(Message):
    """The result of a call that had already ended as unknown. It is noted; nothing else follows from it."""

    type: ClassVar[str] = "tool_call.outcome_learned"
    call_id: str
    claim_id: str
    outcome: Outcome
    content: str
    cut: bool = False


class SummaryRequested(Message):
    """A result is too long for the agent to read whole: the session owes a summary of it."""

    type: ClassVar[str] = "summary.requested"
    summary_id: str
    call_id: str
    execution_id: str
    timeout_seconds: float


class SummaryStarted(Message):
    """The first claim that was decided: this worker makes the summary."""

    type: ClassVar[str] = "summary.started"
    summary_id: str
    claim_id: str
    worker_id: str


class SummaryReleased(Message):
    """The claim is void: the summary is free for another worker."""

    type: ClassVar[str] = "summary.released"
    summary_id: str
    claim_id: str
    reason: ReleaseReason


class SummaryCompleted(Message):
    """The agent reads this in place of the result."""

    type: ClassVar[str] = "summary.completed"
    summary_id: str
    call_id: str
    content: str
    usage: Usage
    model: str
    duration_ms: int


class SummaryFailed(Message):
    """The agent reads the inline cut instead."""

    type: ClassVar[str] = "summary.failed"
    summary_id: str
    call_id: str
    error: str


class ExecutionCompleted(Message):
    """An agent has ended, well or not; `status` says how, `error` why."""

    type: ClassVar[str] = "execution.completed"
    execution_id: str
    stage_id: str
    agent: str
    index: int
    status: EndStatus
    final_analysis: str = ""
    error: str = ""


class StageCompleted(Message):
    """A stage has ended, well or not; `status` says how, `error` why."""

    type: ClassVar[str] = "stage.completed"
    stage_id: str
    index: int
    name: str
    status: EndStatus
    error: str = ""


CANCEL = "cancel"
"""What `request` says when a person wants the session to end."""


class RequestAccepted(Message):
    """A person's request was granted; what follows from it stands in the same batch."""

    type: ClassVar[str] = "request.accepted"
    request_id: str
    request: str
    author: str


class RequestRefused(Message):
    """A person's request was refused. `code` is the HTTP status that says so."""

    type: ClassVar[str] = "request.refused"
    request_id: str
    request: str
    author: str
    code: int
    reason: str


class SessionCompleted(Message):
    """The investigation has ended with an analysis, and the session is at rest."""

    type: ClassVar[str] = "session.completed"
    final_analysis: str


class SessionFailed(Message):
    """The investigation could not go on, and the session is at rest."""

    type: ClassVar[str] = "session.failed"
    error: str


class SessionCancelled(Message):
    """A person ended the investigation, and the session is at rest."""

    type: ClassVar[str] = "session.cancelled"
    author: str


type Event = (
    SessionStarted
    | AlertRepeated
    | StageStarted
    | ExecutionStarted
    | LlmCallRequested
    | LlmCallCompleted
    | LlmCallFailed
    | ToolCallRequested
    | ToolCallStarted
    | ToolCallReleased
    | ToolCallCompleted
    | ToolCallOutcomeLearned
    | SummaryRequested
    | SummaryStarted
    | SummaryReleased
    | SummaryCompleted
    | SummaryFailed
    | ExecutionCompleted
    | StageCompleted
    | RequestAccepted
    | RequestRefused
    | SessionCompleted
    | SessionFailed
    | SessionCancelled
)

EVENTS: dict[str, type[Event]] = {kind.type: kind for kind in Event.__value__.__args__}

OPENERS = frozenset({"session.started", "session.reopened"})
"""A life of a session begins. `session.reopened` is known to the chain before any service writes it."""
ENDINGS = frozenset({"session.completed", "session.failed", "session.cancelled", "session.timed_out"})
"""The session comes to rest."""
