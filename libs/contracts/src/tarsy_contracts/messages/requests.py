"""Requests in the work queues: calls that a session owes. Lost or doubled without harm (docs/concepts.md, calls).

A time without a zone is refused as unreadable: comparing it with a clock would end the process, and then the next one.
"""

from typing import ClassVar

from pydantic import AwareDatetime, JsonValue

from tarsy_contracts.events import StoredResult
from tarsy_contracts.memory import RecallContext
from tarsy_contracts.wire.message import Message, Value
from tarsy_contracts.wire.numbers import Count, Seconds


class LogPosition(Value):
    partition: int
    offset: int


class ResultPlace(Value):
    """The position of an earlier call's result: the stored original, or else the content of the event at `event`."""

    call_id: str
    event: LogPosition
    stored: StoredResult | None = None


class ToolCallRequest(Message):
    """`not_after`: a worker that has not begun by then gives its claim up. `repeatable` ones need no grant.

    `reads`: the result that the gateway's own tool `read_result` is to read in. `execution_id` and `agent`: the run
    that the call belongs to; empty for the session's own, and in requests of older owners. `recalls`: the session that
    asks for memories or earlier sessions. `releases`: how often it became
    free again after a claim.
    """

    type: ClassVar[str] = "tool_call.request"
    session_id: str
    call_id: str
    server: str
    tool: str
    arguments: dict[str, JsonValue]
    repeatable: bool
    timeout_seconds: Seconds
    not_after: AwareDatetime
    reads: ResultPlace | None = None
    execution_id: str = ""
    agent: str = ""
    releases: Count = 0
    recalls: RecallContext | None = None


class SummaryRequest(Message):
    """The result to shorten goes by reference: the stored original, or else the content of the event at `result_event`.

    `purpose` is what the agent wrote when it asked for the tool: it says what the reader is after. `alert` and `steps`
    are the alert and the investigation so far, as the agent has read them; empty in requests of older owners. When
    `llm_provider` fails, `fallback_providers` are asked in their order.

    `words` is what the agent wrote lately, the latest last. `called_at` is when the tool was called, and `began_at`
    when the session began, both by the log. `kept_whole` is False when the result was longer than what is kept of it.
    `releases`: how often it became free again after a claim. `question`: what a person asked in the chat, and
    `asked_at` when, if the agent answers that. There is no `began_at` then.
    """

    type: ClassVar[str] = "summary.request"
    session_id: str
    call_id: str
    execution_id: str
    agent: str
    server: str
    tool: str
    arguments: dict[str, JsonValue]
    alert_title: str
    purpose: str
    result_event: LogPosition
    stored: StoredResult | None
    llm_provider: str
    max_tokens: Count
    timeout_seconds: Seconds
    not_after: AwareDatetime
    fallback_providers: tuple[str, ...] = ()
    alert: str = ""
    steps: str = ""
    words: str = ""
    called_at: AwareDatetime | None = None
    began_at: AwareDatetime | None = None
    kept_whole: bool = True
    releases: Count = 0
    question: str = ""
    asked_at: AwareDatetime | None = None


type Request = ToolCallRequest | SummaryRequest

REQUESTS: dict[str, type[Request]] = {kind.type: kind for kind in Request.__value__.__args__}
