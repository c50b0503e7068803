"""State of a session: a union of frozen types, one a phase. Only `evolve` makes them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tarsy_contracts import events as e
from tarsy_contracts.memory import Memory
from tarsy_contracts.native_calls import WebSource
from tarsy_contracts.skills import Skill
from tarsy_contracts.token_rates import TokenRates
from tarsy_session.state.alerts import NO_ALERTS, Alerts
from tarsy_session.state.budgets import NO_BUDGETS, Budgets
from tarsy_session.state.calls import ToolCallState
from tarsy_session.state.executions import Execution, Stage
from tarsy_session.state.reviews import Review

type Answered = e.RequestAccepted | e.RequestRefused | e.SessionReleased
type Ending = e.SessionCompleted | e.SessionFailed | e.SessionCancelled | e.SessionTimedOut

REFUSALS_KEPT = 100
"""Limit of refusals that a session keeps. `refusals_forgotten` says that there were older ones."""
NO_INPUT = -1
"""`last_decided_offset` before any inbox input was decided."""
REPLY = "reply"
"""The phase of a session that a question has opened again."""


@dataclass(frozen=True, slots=True)
class NotStarted:
    """A session that never was, or that was deleted.

    `deleted_by`: the request that did so; the event, where only the session's head is known.
    """

    last_decided_offset: int = NO_INPUT
    deleted_by: str = ""


@dataclass(frozen=True, slots=True)
class Cancelled:
    """`comment`: why, as the author said."""

    author: str
    at: datetime
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A person's question, and when the log took it."""

    asked: e.QuestionAsked
    at: datetime


@dataclass(frozen=True, slots=True)
class PhaseRun:
    """A phase after the end. `completed` is None while it runs, and for ever where a question interrupted it."""

    requested: e.PhaseRequested
    at: datetime
    completed: e.PhaseCompleted | None = None


@dataclass(frozen=True, slots=True)
class Life:
    """One life of a session, from its opener to its end: its clocks count nothing of an earlier life.

    `opened_at`: when it came; `began_at`: its first stage, None while it waits for its turn. `phase`: what it is for,
    which takes `seconds` at most from its first stage. `question`: what it answers, if anything. `requested`: the
    phase after the end that it is, if any. `waiting_since`: at least one call waits for a person since then. `waited`:
    all such time before; neither counts as time of this life.
    """

    opened_at: datetime
    phase: str
    seconds: float
    began_at: datetime | None = None
    question: Question | None = None
    requested: e.PhaseRequested | None = None
    waiting_since: datetime | None = None
    waited: timedelta = timedelta()


def _id_root(session_id: str, started: e.SessionStarted | None) -> str:
    """A session that begins anew after a deletion has other ids."""
    follows = "" if started is None else started.follows
    return f"{session_id}/{follows}" if follows else session_id


@dataclass(frozen=True, slots=True)
class Investigating:
    """An open session. A session without a stage is queued.

    `ended`: how the investigation ended, when this life came after it. `questions`, `phase_runs`: of all lives.
    `cancelled`: somebody wanted this life to end, and it waits for calls that may have run. `token_rates`: how its
    providers have counted in this life. `skills`: by name, as they were when the session began.
    `sources`: the web pages that can be cited, in the order of their numbers. `review`: None until somebody has done
    something about it. `memories`: those that the
    session has taught, by their ids; None where one was erased.
    """

    session_id: str
    started: e.SessionStarted
    last_decided_offset: int
    life: Life
    stages: tuple[Stage, ...] = ()
    executions: Mapping[str, Execution] = field(default_factory=dict)
    calls: Mapping[str, ToolCallState] = field(default_factory=dict)
    answers: Mapping[str, Answered] = field(default_factory=dict)
    refusals_forgotten: bool = False
    alerts: Alerts = NO_ALERTS
    cancelled: Cancelled | None = None
    ended: Ending | None = None
    questions: tuple[Question, ...] = ()
    phase_runs: tuple[PhaseRun, ...] = ()
    token_rates: TokenRates = field(default_factory=TokenRates)
    skills: Mapping[str, Skill] = field(default_factory=dict)
    sources: tuple[WebSource, ...] = ()
    budgets: Budgets = NO_BUDGETS
    review: Review | None = None
    memories: Mapping[str, Memory | None] = field(default_factory=dict)

    @property
    def id_root(self) -> str:
        """The text that ids of stages and calls are derived from."""
        return _id_root(self.session_id, self.started)

    @property
    def stage(self) -> Stage | None:
        """The one that is open, or the last."""
        return self.stages[-1] if self.stages else None

    def executions_of(self, stage: Stage) -> list[Execution]:
        return [self.executions[id] for id in stage.executions]

    def all_executions_of(self, stage: Stage) -> list[Execution]:
        """Those of sub-agents, too."""
        return [one for one in self.executions.values() if one.started.stage_id == stage.started.stage_id]


@dataclass(frozen=True, slots=True)
class AtRest:
    """At rest. All that was found stays: outcomes are learned late, and a later life builds on the stages of this one.

    `started` is None when an operator ended what this code cannot read.
    """

    session_id: str
    started: e.SessionStarted | None
    last_decided_offset: int
    ended: Ending
    stages: tuple[Stage, ...] = ()
    executions: Mapping[str, Execution] = field(default_factory=dict)
    calls: Mapping[str, ToolCallState] = field(default_factory=dict)
    answers: Mapping[str, Answered] = field(default_factory=dict)
    refusals_forgotten: bool = False
    alerts: Alerts = NO_ALERTS
    questions: tuple[Question, ...] = ()
    phase_runs: tuple[PhaseRun, ...] = ()
    skills: Mapping[str, Skill] = field(default_factory=dict)
    sources: tuple[WebSource, ...] = ()
    budgets: Budgets = NO_BUDGETS
    review: Review | None = None
    memories: Mapping[str, Memory | None] = field(default_factory=dict)

    @property
    def id_root(self) -> str:
        return _id_root(self.session_id, self.started)


@dataclass(frozen=True, slots=True)
class Unsupported:
    """The log holds an event that this code cannot read: nothing is decided for the session until an operator ends it.

    `raised`: the exception that the event led to, when its type is known.
    """

    last_decided_offset: int
    raised: str = ""


type SessionState = NotStarted | Investigating | AtRest | Unsupported

NOT_STARTED = NotStarted()
