"""Inputs of the inbox: reports and requests, which the owner of the session decides.

Their key is the session id. `call_id` is the id of a tool call or of a summary: claims are the same for both.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import ClassVar, Literal

from pydantic import Field, JsonValue

from tarsy_contracts.alert import Alert, AlertSource
from tarsy_contracts.budgets import Amounts
from tarsy_contracts.chain import NativeTool
from tarsy_contracts.conversation import ToolCall, Usage
from tarsy_contracts.events import OfferedTool, Outcome, StoredResult, SummaryAttempt
from tarsy_contracts.memory import MemoryChange
from tarsy_contracts.native_calls import NativeCall, TextCitation
from tarsy_contracts.review import Rating, ReviewAction, ReviewStatus
from tarsy_contracts.wire.message import Message, Value
from tarsy_contracts.wire.numbers import Count, Seconds


class Deduplication(Value):
    """Alerts with one `key` are the same alert but for time, and their sessions lie in one partition.

    The alert joins the key's latest session while that is investigated, and for `window_seconds` after its last alert.
    """

    key: str
    window_seconds: Seconds


class GroupMember(Value):
    """One alert of a group. `id` names its episode; `text`: what an agent reads of it, masked and bounded."""

    id: str
    text: str


class AlertReceived(Message):
    """An alert came in, and has been masked. The subject is the session that it starts unless it joins another one.

    That id follows from the alert's episode. `members`: the alerts of a group that is investigated as one.
    `starts_at`: when its episode began, as the sender says, if it does.
    """

    type: ClassVar[str] = "alert.received"
    version: ClassVar[int] = 2
    alert: Alert
    deduplication: Deduplication | None = None
    members: tuple[GroupMember, ...] = ()
    starts_at: datetime | None = None


class AlertResolutionReported(Message):
    """The sender of an alert says that it no longer fires. `ends_at`: since when, as the sender says, if it does.

    It opens no session. The same resolution, reported again, has the same id. `deduplication_key` is that of the alert:
    where the subject is no session, the key's latest session is meant. `whole_group`: all alerts of a group are over.
    `start_unknown`: the sender does not say which episode ended; the last one that began before `ends_at` is meant.
    """

    type: ClassVar[str] = "alert.resolution_reported"
    source: AlertSource
    ends_at: datetime | None = None
    deduplication_key: str = ""
    whole_group: bool = False
    start_unknown: bool = False


class CallClaimed(Message):
    """A worker has the request and wants to run it, or (a repeatable one) runs it already."""

    type: ClassVar[str] = "call.claimed"
    call_id: str
    claim_id: str
    worker_id: str


class CallNotStarted(Message):
    """A worker gives a claim up without having run the call. `busy`: its queue for that server is full."""

    type: ClassVar[str] = "call.not_started"
    call_id: str
    claim_id: str
    worker_id: str
    reason: Literal["busy", "not_started"]


class ToolCallReported(Message):
    """The masked outcome of a tool call; the fields are those of `tool_call.completed`."""

    type: ClassVar[str] = "tool_call.reported"
    call_id: str
    claim_id: str
    worker_id: str
    outcome: Outcome
    content: str
    cut: bool
    size: Count
    lines: Count
    stored: StoredResult | None
    duration_ms: Count
    nulls_left_out: tuple[str, ...] = ()


class SummaryReported(Message):
    """`error` says why there is no summary; `content` is empty then. `usage` is that of the answer alone.

    `attempts` are all questions to providers, in their order, also those that failed. `request_digest`, `input_bytes`
    and `cut` are those of `summary.completed`.
    """

    type: ClassVar[str] = "summary.reported"
    call_id: str
    claim_id: str
    worker_id: str
    content: str
    error: str
    usage: Usage
    model: str
    duration_ms: Count
    tokens_before: Count | None = None
    tokens_after: Count | None = None
    attempts: tuple[SummaryAttempt, ...] = ()
    request_digest: str = ""
    input_bytes: Count | None = None
    cut: bool = False


class WorkerDied(Message):
    """The owner saw a worker's announcements end while it held this claim."""

    type: ClassVar[str] = "worker.died"
    call_id: str
    claim_id: str
    worker_id: str


class UnfinishedAnswer(Value):
    """Words that an LLM call had streamed until then: masked, and the last ones where they were many.

    `native_calls`: what its model had done with tools of its provider, masked.
    """

    llm_call_id: str
    thinking: str = ""
    text: str = ""
    native_calls: tuple[NativeCall, ...] = ()


class DeadlinePassed(Message):
    """The owner saw the time of a call run out; or that of an iteration, or of a session, whose id stands here then.

    `unfinished`: answers of the session's models that were being written.
    """

    type: ClassVar[str] = "deadline.passed"
    call_id: str
    unfinished: tuple[UnfinishedAnswer, ...] = ()


class CancelRequested(Message):
    """A person wants the session to end, or the reply that is being written. `comment`: why; it has been masked."""

    type: ClassVar[str] = "session.cancel_requested"
    request_id: str
    author: str
    comment: str = ""


class ChatRequested(Message):
    """A person asks the finished investigation a question. It has been masked."""

    type: ClassVar[str] = "session.chat_requested"
    request_id: str
    author: str
    content: str


class CallDecisionRequested(Message):
    """A person decides about a call that waits for one. The comment has been masked.

    `role` is his; None where nobody is authenticated.
    """

    type: ClassVar[str] = "tool_call.decision_requested"
    request_id: str
    author: str
    call_id: str
    decision: Literal["approve", "deny"]
    comment: str = ""
    role: str | None = None


class BudgetDecisionRequested(Message):
    """A person extends a budget of a session by these amounts, or wants its agents to conclude. Comments are masked.

    `role` is his; None where nobody is authenticated. `budget_id` is that of `budget.reached`; without one, the budget
    that waits is meant, or that of the session.
    """

    type: ClassVar[str] = "budget.decision_requested"
    request_id: str
    author: str
    budget_id: str = ""
    decision: Literal["extend", "conclude"]
    extension: Amounts = Amounts()
    comment: str = ""
    role: str | None = None


class ReviewRequested(Message):
    """A person does something about the review of a finished investigation. All texts are masked.

    `expected_status`: what he saw; with another one it is refused. Empty where he does not care. `assignee`: whom
    `reassign` gives it to; empty for the author himself. `rating`, `cause` and `note` come with `complete` and
    `feedback`, where an empty one leaves what is on record.
    """

    type: ClassVar[str] = "review.requested"
    request_id: str
    author: str
    action: ReviewAction
    expected_status: ReviewStatus | Literal[""] = ""
    assignee: str = ""
    rating: Rating | Literal[""] = ""
    cause: str = ""
    note: str = ""


class ScoreRequested(Message):
    """A person wants a finished investigation to be judged, also once more. Earlier scores stay on record."""

    type: ClassVar[str] = "session.score_requested"
    request_id: str
    author: str


class MemoryChangeRequested(Message):
    """A person wants a memory that the session has learnt changed, or forgotten. Its text has been masked."""

    type: ClassVar[str] = "memory.change_requested"
    request_id: str
    author: str
    memory_id: str
    act: Literal["edit", "forget"]
    change: MemoryChange = MemoryChange()


class SessionDeleteRequested(Message):
    """A person, or a retention run, wants a session that has ended to be deleted."""

    type: ClassVar[str] = "session.delete_requested"
    request_id: str
    author: str


class SessionReleaseRequested(Message):
    """An operator wants a session that was set aside to go on; its inputs come back. `request`: the word he used."""

    type: ClassVar[str] = "session.release_requested"
    request_id: str
    author: str
    request: str


class SessionFailRequested(Message):
    """An operator wants a session that was set aside to end as failed; its inputs go to the dead letters."""

    type: ClassVar[str] = "session.fail_requested"
    request_id: str
    author: str
    reason: str


class LlmCallReported(Message):
    """An LLM's answer. The owner made the call itself: this input never travels, and has no inbox offset.

    `calls_left_out`: so many more tool calls it had, which nobody looked at. `request_digest`: of all that the model
    was given; empty when nothing was sent. `cut`: the answer ended at the limit of output tokens.
    `refused_tools`, `most_tools`, `context_tokens`: what a refusal said of the request, as in `llm_call.failed`.
    `unreadable_calls`: by the ids of calls whose arguments nobody can read, what the model is told.
    `native_calls`: what the model did with tools of its provider; `citations`: where `text` rests on their sources.
    `native_tools_left_out`: tools of the provider that the agent has, and that the model did not get.
    """

    type: ClassVar[str] = "llm_call.reported"
    llm_call_id: str
    error: str
    retryable: bool
    kind: str = ""
    retry_after_seconds: Seconds | None = None
    thinking: str
    text: str
    tool_calls: tuple[ToolCall, ...]
    usage: Usage
    model: str
    duration_ms: Count
    opaque: JsonValue = None
    calls_left_out: int = 0
    request_digest: str = ""
    cut: bool = False
    refused_tools: tuple[str, ...] = ()
    most_tools: Count | None = None
    context_tokens: Count | None = None
    unreadable_calls: Mapping[str, str] = Field(default_factory=dict)
    native_calls: tuple[NativeCall, ...] = ()
    citations: tuple[TextCitation, ...] = ()
    native_tools_left_out: tuple[NativeTool, ...] = ()


class UnavailableServer(Value):
    """An MCP server whose tools are not offered, and why: the masked words of a gateway, or ours where none sees it."""

    server: str
    reason: str


class ToolsOffered(Message):
    """The tools that the executions of a stage begin with, from the catalog. The owner's own input, as LLM answers are.

    They are those of all servers that its agents use; each agent gets those of its own servers.
    """

    type: ClassVar[str] = "execution.tools_offered"
    stage_id: str
    tools: tuple[OfferedTool, ...]
    unavailable_servers: tuple[UnavailableServer, ...]


class SessionAdmitted(Message):
    """The session had its turn in the queue of its owner, and may begin. The owner's own input."""

    type: ClassVar[str] = "session.place_given"


type InboxInput = (
    AlertReceived
    | AlertResolutionReported
    | CallClaimed
    | CallNotStarted
    | ToolCallReported
    | SummaryReported
    | WorkerDied
    | DeadlinePassed
    | CancelRequested
    | ChatRequested
    | CallDecisionRequested
    | BudgetDecisionRequested
    | ReviewRequested
    | ScoreRequested
    | MemoryChangeRequested
    | SessionDeleteRequested
    | SessionReleaseRequested
    | SessionFailRequested
)
type OperatorRequest = SessionReleaseRequested | SessionFailRequested
type OwnInput = LlmCallReported | ToolsOffered | SessionAdmitted
type Input = InboxInput | OwnInput

INPUTS: dict[str, type[InboxInput]] = {kind.type: kind for kind in InboxInput.__value__.__args__}
