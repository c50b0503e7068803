"""State of tool calls and their summaries. Only `evolve` makes it."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from tarsy_contracts import events as e
from tarsy_contracts.messages.requests import LogPosition

ANSWERED = frozenset({"ok", "tool_error", "rejected"})
"""Outcomes with an answer. Without a worker it is the core's own."""


@dataclass(frozen=True, slots=True)
class Claim:
    """`since`: when the claim was recorded, by the broker's stamp; its worker lived then."""

    claim_id: str
    worker_id: str
    since: datetime


@dataclass(frozen=True, slots=True)
class Summary:
    requested: e.SummaryRequested
    deadline: datetime
    claim: Claim | None = None
    releases: int = 0
    ended: e.SummaryCompleted | e.SummaryFailed | None = None

    @property
    def requested_at(self) -> datetime:
        return self.deadline - timedelta(seconds=self.requested.timeout_seconds)


@dataclass(frozen=True, slots=True)
class Learned:
    """The outcome of a call that had ended as unknown. Its agent reads it after so many of its turns.

    That is after the answer that it was being asked for then: what was asked already stays as it is.
    """

    event: e.ToolCallOutcomeLearned
    after_turn: int


@dataclass(frozen=True, slots=True)
class Approval:
    """The wait of a call for a person. `since`: when the log took the request for it."""

    requested: e.ToolCallApprovalRequested
    since: datetime
    decided: e.ToolCallApprovalDecided | None = None

    @property
    def deadline(self) -> datetime:
        return deadline_after(self.since, self.requested.timeout_seconds)


@dataclass(frozen=True, slots=True)
class ToolCallState:
    """One tool call. `releases` counts how often it became free again; `result_at` is where its outcome lies.

    `completed_at`: when the log took its outcome. `deadline`: of a call that was approved, it counts from then on.
    """

    requested: e.ToolCallRequested
    deadline: datetime
    approval: Approval | None = None
    claim: Claim | None = None
    releases: int = 0
    completed: e.ToolCallCompleted | None = None
    result_at: LogPosition | None = None
    completed_at: datetime | None = None
    learned: Learned | None = None
    summary: Summary | None = None

    @property
    def requested_at(self) -> datetime:
        return self.deadline - timedelta(seconds=self.requested.timeout_seconds)

    @property
    def open(self) -> bool:
        return self.completed is None

    @property
    def waits_for_person(self) -> bool:
        """Nobody may run it yet."""
        return self.open and self.approval is not None and self.approval.decided is None

    @property
    def result_ready(self) -> bool:
        """Whether the agent can read the result: neither it nor its summary is missing."""
        return not self.open and (self.summary is None or self.summary.ended is not None)

    @property
    def is_abridged(self) -> bool:
        """Whether the agent reads a summary of the result, or only its beginning."""
        if self.summary is not None and isinstance(self.summary.ended, e.SummaryCompleted):
            return True
        return self.completed is not None and self.completed.cut

    @property
    def abandoned(self) -> bool:
        """Whether the call ended without a report of a worker."""
        ended = self.completed
        return ended is not None and ended.worker_id is None and ended.outcome not in ANSWERED

    @property
    def may_have_run(self) -> bool:
        """Whether the call was granted and may not run twice: only its worker, its death or its deadline can end it."""
        return self.open and self.claim is not None and not self.requested.repeatable


def deadline_after(appended_at: datetime, seconds: float) -> datetime:
    """Deadlines count from the broker's stamp of the request, not from anybody's own clock."""
    return appended_at + timedelta(seconds=seconds)
