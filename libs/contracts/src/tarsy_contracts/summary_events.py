"""Events of the summaries of long results."""

from typing import ClassVar

from tarsy_contracts.conversation import Usage
from tarsy_contracts.message import Message
from tarsy_contracts.numbers import Count, Seconds
from tarsy_contracts.tool_events import ReleaseReason


class SummaryRequested(Message):
    """A result is too long for the agent to read whole: the session owes a summary of it."""

    type: ClassVar[str] = "summary.requested"
    summary_id: str
    call_id: str
    execution_id: str
    timeout_seconds: Seconds


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
    duration_ms: Count


class SummaryFailed(Message):
    """The agent reads the inline cut instead."""

    type: ClassVar[str] = "summary.failed"
    summary_id: str
    call_id: str
    error: str
