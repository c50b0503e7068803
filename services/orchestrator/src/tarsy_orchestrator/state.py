"""What is known of a session: a union of frozen types, one a phase. Only `evolve` makes them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tarsy_contracts import events as e
from tarsy_contracts.chain import ResolvedAgent
from tarsy_contracts.requests import LogPosition

NO_INPUT = -1
"""`decided` before any inbox input was decided."""


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


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call. `releases` counts how often it became free again; `result_at` is where its outcome lies."""

    requested: e.ToolCallRequested
    deadline: datetime
    claim: Claim | None = None
    releases: int = 0
    completed: e.ToolCallCompleted | None = None
    result_at: LogPosition | None = None
    outcome_learned: bool = False
    summary: Summary | None = None

    @property
    def open(self) -> bool:
        return self.completed is None

    @property
    def settled(self) -> bool:
        """Nothing is missing before the agent can read the result."""
        return not self.open and (self.summary is None or self.summary.ended is not None)

    @property
    def at_risk(self) -> bool:
        """It was granted and may not run twice: only its worker, its death or its deadline can end it."""
        return self.open and self.claim is not None and not self.requested.repeatable


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer of the model and the calls that it asked for."""

    requested: e.LlmCallRequested
    answer: e.LlmCallCompleted
    calls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Execution:
    """An agent's run. `waiting_for` is the LLM call that it owes, if any."""

    started: e.ExecutionStarted
    agent: ResolvedAgent
    turns: tuple[Turn, ...] = ()
    waiting_for: e.LlmCallRequested | None = None
    iteration: int = 0


@dataclass(frozen=True, slots=True)
class Absent:
    """A session that never was."""

    decided: int = NO_INPUT


@dataclass(frozen=True, slots=True)
class Investigating:
    """`cancelled_by`: somebody cancelled it, and it waits for calls at risk to end."""

    started: e.SessionStarted
    decided: int
    stage: e.StageStarted | None = None
    execution: Execution | None = None
    calls: Mapping[str, Call] = field(default_factory=dict)
    answers: Mapping[str, e.RequestAccepted | e.RequestRefused] = field(default_factory=dict)
    repeats: frozenset[str] = frozenset()
    cancelled_by: str | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """At rest. The calls are kept for outcomes that are learned late."""

    started: e.SessionStarted
    decided: int
    ended: e.SessionCompleted | e.SessionFailed | e.SessionCancelled
    calls: Mapping[str, Call] = field(default_factory=dict)
    answers: Mapping[str, e.RequestAccepted | e.RequestRefused] = field(default_factory=dict)
    repeats: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Beyond:
    """An event was met that this code cannot read: it never decides for this session again."""

    decided: int


type State = Absent | Investigating | Ended | Beyond

ABSENT = Absent()


def deadline(appended_at: datetime, seconds: float) -> datetime:
    """Deadlines count from the broker's stamp of the request, not from anybody's own clock."""
    return appended_at + timedelta(seconds=seconds)


def call_of_summary(calls: Mapping[str, Call], summary_id: str) -> Call | None:
    """The call whose summary has this id."""
    for call in calls.values():
        if call.summary is not None and call.summary.requested.summary_id == summary_id:
            return call
    return None
