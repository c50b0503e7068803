"""Events of the summaries of long results."""

from typing import ClassVar

from tarsy_contracts.budgets import Charge
from tarsy_contracts.conversation import Usage
from tarsy_contracts.events.tool import ReleaseReason
from tarsy_contracts.wire.message import Message, Value
from tarsy_contracts.wire.numbers import Count, Seconds


class SummaryRequested(Message):
    """A result is too long for the agent to read whole: the session owes a summary of it.

    `same_as`: an earlier call of the execution that returned the same text. The summary is owed only if that of the
    earlier call fails or is cut. Else it ends with that, and no worker is asked. `server`, `tool`: of the call;
    `estimated_tokens`: of its result. Events of older versions do not have them.
    """

    type: ClassVar[str] = "summary.requested"
    summary_id: str
    call_id: str
    execution_id: str
    timeout_seconds: Seconds
    same_as: str = ""
    server: str = ""
    tool: str = ""
    estimated_tokens: Count = 0


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


class SummaryAttempt(Value):
    """One question to a provider, whatever came of it. `error` is empty for the one whose answer is the summary.

    `model`: empty when no answer named it. Attempts are the interactions of type `summarization` in the record.
    `charge`: how it counts in budgets, as the owner of the session decided.
    """

    provider: str
    model: str = ""
    usage: Usage = Usage()
    duration_ms: Count = 0
    error: str = ""
    charge: Charge | None = None


class SummaryCompleted(Message):
    """The agent reads this in place of the result.

    `usage` is that of the attempt that succeeded; the cost is that of all `attempts`. `tokens_before` and
    `tokens_after` are the sizes of the result and of the summary. Events of version 0.1.0 have neither of them, nor
    the execution and the tool.

    `request_digest`: of all that each of the models was given (request_digest.py), which holds at most `input_bytes` of
    the result. Both are empty when nothing was asked, and in events of 0.1.0.

    `cut`: it ends too early, as a mark in it says. `reused_from`: the earlier call whose result is the same, and whose
    summary this is. Nobody was asked again: there are no attempts, and no usage.
    """

    type: ClassVar[str] = "summary.completed"
    summary_id: str
    call_id: str
    content: str
    usage: Usage
    model: str
    duration_ms: Count
    execution_id: str = ""
    server: str = ""
    tool: str = ""
    tokens_before: Count | None = None
    tokens_after: Count | None = None
    attempts: tuple[SummaryAttempt, ...] = ()
    request_digest: str = ""
    input_bytes: Count | None = None
    cut: bool = False
    reused_from: str = ""


class SummaryFailed(Message):
    """The agent reads the inline cut instead. No attempts: nobody was asked, or the owner ended it before a report.

    `timed_out`: the time of the session or the reply was up before it came.
    """

    type: ClassVar[str] = "summary.failed"
    summary_id: str
    call_id: str
    error: str
    execution_id: str = ""
    server: str = ""
    tool: str = ""
    tokens_before: Count | None = None
    attempts: tuple[SummaryAttempt, ...] = ()
    request_digest: str = ""
    input_bytes: Count | None = None
    timed_out: bool = False
