"""Public events of calls: of models, of tools, and the summaries of long results."""

from typing import Annotated, ClassVar

from pydantic import Field, JsonValue

from tarsy_contracts.public.model import Outcome, PublicEvent, PublicValue, PublicWebSource, TokenUsage
from tarsy_contracts.wire.numbers import Count, Seconds


class PublicNativeCall(PublicValue):
    """One use of a tool that the provider of the model ran itself. `queries`: searches, or addresses to read."""

    tool: Annotated[str, Field(examples=["google_search", "url_context", "code_execution"])]
    queries: tuple[str, ...] = ()
    sources: tuple[PublicWebSource, ...] = ()
    code: str = ""
    language: str = ""
    output: str = ""
    outcome: str = ""


class PublicLlmCallCompleted(PublicEvent):
    """A model has answered an agent. `text` may be empty: then it asks for tools alone. Prompts are not public.

    `native_calls`: what the model did meanwhile with tools of its provider.
    """

    type: ClassVar[str] = "tarsy.llm_call.completed"
    llm_call_id: str
    execution_id: str
    text: str
    model: str
    usage: TokenUsage
    duration_ms: int
    native_calls: tuple[PublicNativeCall, ...] = ()


class PublicLlmCallFailed(PublicEvent):
    """No answer came. `retryable`: the same question may be asked again. `kind` is the class of the error."""

    type: ClassVar[str] = "tarsy.llm_call.failed"
    llm_call_id: str
    execution_id: str
    error: str
    kind: str
    retryable: bool


class PublicToolCallRequested(PublicEvent):
    """A tool is to be called. The call that fetches a runbook belongs to no execution: `execution_id` is empty.

    `repeatable`: running it twice is harmless, as its server says. `number`: texts of the session cite the call by it
    (`[call 7]`); 0 where none can.
    """

    type: ClassVar[str] = "tarsy.tool_call.requested"
    call_id: str
    execution_id: str
    server: str
    tool: str
    arguments: dict[str, JsonValue]
    repeatable: bool
    purpose: Annotated[str, Field(examples=["agent", "runbook"])] = "agent"
    number: Count = 0


class PublicToolCallApprovalRequested(PublicEvent):
    """The call waits for a person: it is not made before somebody approves it.

    `reason`: what the agent wrote when it asked for the call. `role`: who may decide. `timeout_seconds` count from this
    event; after them the call is denied (`deny`), or the session fails (`fail`).
    """

    type: ClassVar[str] = "tarsy.tool_call.approval_requested"
    call_id: str
    execution_id: str
    server: str
    tool: str
    arguments: dict[str, JsonValue]
    reason: str
    role: str
    timeout_seconds: Seconds
    on_timeout: Annotated[str, Field(examples=["deny", "fail"])]


class PublicToolCallApprovalDecided(PublicEvent):
    """The wait is over. `author` and `comment` are those of the person who decided, and empty where nobody did."""

    type: ClassVar[str] = "tarsy.tool_call.approval_decided"
    call_id: str
    outcome: Annotated[str, Field(examples=["approved", "denied", "expired", "cancelled"])]
    author: str = ""
    comment: str = ""


class PublicToolCallStarted(PublicEvent):
    """A worker runs the call. It may come again: a repeatable call whose worker died runs on another."""

    type: ClassVar[str] = "tarsy.tool_call.started"
    call_id: str


class PublicToolCallCompleted(PublicEvent):
    """The call has ended. `content` is the masked result; `cut` says that it is only the beginning.

    `size` is in bytes and `lines` in lines, both of the whole result, which the API serves.
    """

    type: ClassVar[str] = "tarsy.tool_call.completed"
    call_id: str
    outcome: Outcome
    content: str
    cut: bool = False
    size: int = 0
    lines: int = 0
    duration_ms: int | None = None


class PublicToolCallOutcomeLearned(PublicEvent):
    """The result of a call that had ended as `unknown` came after all."""

    type: ClassVar[str] = "tarsy.tool_call.outcome_learned"
    call_id: str
    outcome: Outcome
    content: str
    cut: bool = False


class PublicSummaryCompleted(PublicEvent):
    """The summary of a long result: the agent reads it in place of that. `usage` is that of its last question.

    `reused_from`: an earlier call whose result was the same. No model was asked again, and `usage` is empty.
    """

    type: ClassVar[str] = "tarsy.summary.completed"
    summary_id: str
    call_id: str
    content: str
    model: str
    usage: TokenUsage
    duration_ms: int
    execution_id: str = ""
    server: str = ""
    tool: str = ""
    reused_from: str = ""


class PublicSummaryFailed(PublicEvent):
    """There is no summary: the agent reads the beginning of the result."""

    type: ClassVar[str] = "tarsy.summary.failed"
    summary_id: str
    call_id: str
    error: str
    execution_id: str = ""
