"""State of a session: a union of frozen types, one a phase. Only `evolve` makes them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tarsy_contracts import events as e
from tarsy_contracts.builtin_tools import OWN_SERVER
from tarsy_contracts.chain import ResolvedAgent, StageType, SummaryRule
from tarsy_contracts.requests import LogPosition
from tarsy_contracts.token_rates import TokenRates

type Answered = e.RequestAccepted | e.RequestRefused | e.SessionReleased
type Ending = e.SessionCompleted | e.SessionFailed | e.SessionCancelled | e.SessionTimedOut

REFUSALS_KEPT = 100
"""Limit of refusals that a session keeps. `refusals_forgotten` says that there were older ones."""
NOT_SHORTENED = e.Shortening()
NO_INPUT = -1
"""`last_decided_offset` before any inbox input was decided."""


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
class AlertNews:
    """The alert no longer fires, fires again, or is one of several now; `at`: when the log took it.

    `after_turns`: the agents that ran then, by the ids of their executions. Each reads it after so many of its turns.
    """

    event: e.AlertResolved | e.AlertRepeated
    at: datetime
    after_turns: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Alerts:
    """The alerts of a session after its first. `count`: how often it came again.

    `recent`: the ids of the last inputs, so that one that is delivered twice counts once. `episode` is the id that the
    sender of the last one was given; empty for the session's own. `resolved`: the last word is that it is over.
    `news`: what agents are told. `members`: the alerts of a group.
    """

    count: int = 0
    recent: tuple[str, ...] = ()
    episode: str = ""
    resolved: AlertNews | None = None
    news: tuple[AlertNews, ...] = ()
    members: frozenset[str] = frozenset()


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
    def truncated(self) -> bool:
        """Whether the agent reads a summary of the result, or only its beginning."""
        if self.summary is not None and isinstance(self.summary.ended, e.SummaryCompleted):
            return True
        return self.completed is not None and self.completed.cut

    @property
    def abandoned(self) -> bool:
        """Whether the call ended without a report of a worker."""
        return self.completed is not None and self.completed.worker_id is None and self.completed.outcome != "rejected"

    @property
    def may_have_run(self) -> bool:
        """Whether the call was granted and may not run twice: only its worker, its death or its deadline can end it."""
        return self.open and self.claim is not None and not self.requested.repeatable


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer of the model and the calls that it asked for."""

    requested: e.LlmCallRequested
    answer: e.LlmCallCompleted
    calls: tuple[str, ...] = ()

    @property
    def final_answer(self) -> str:
        """The text that ends the execution; empty when the turn does not end it."""
        if self.calls or self.answer.tool_calls or self.answer.reminder:
            return ""
        return self.answer.final_answer or self.answer.text.strip()


@dataclass(frozen=True, slots=True)
class PendingLlmCall:
    """An LLM call that is owed. It is not made before `not_before`."""

    requested: e.LlmCallRequested
    not_before: datetime


@dataclass(frozen=True, slots=True)
class RetryState:
    """Retries of the LLM call of the present iteration.

    `failures`: in a row, of the provider that is asked now. `waited_seconds`: because providers had too much to do.
    `failed`: the last failure, while no answer came after it.
    """

    attempt: int = 0
    failures: int = 0
    waited_seconds: float = 0.0
    failed: e.LlmCallFailed | None = None


@dataclass(frozen=True, slots=True)
class Execution:
    """An agent's run. `began_at`: when the log took its beginning.

    `waiting_for` is the LLM call that it owes, if any. `fallbacks` counts the providers that were given up;
    `timeouts` the iterations in a row that took too long. `deadline` is that of the present iteration, which began at
    `iteration_since`. `tools` are those that the agent may call; calls of those whose names are in `approvals` wait for
    a person. `shortened`: how its conversation is shown. `left_out`: the tools that its provider refused.
    `contexts`: the tokens that its providers take at most, by name, as far as their refusals have told.
    """

    started: e.ExecutionStarted
    began_at: datetime
    agent: ResolvedAgent
    stage_type: StageType
    llm_provider: str
    tools: tuple[e.OfferedTool, ...] = ()
    approvals: frozenset[str] = frozenset()
    fallbacks: int = 0
    turns: tuple[Turn, ...] = ()
    waiting_for: PendingLlmCall | None = None
    iteration: int = 0
    deadline: datetime | None = None
    iteration_since: datetime | None = None
    timeouts: int = 0
    retries: RetryState = RetryState()
    completed: e.ExecutionCompleted | None = None
    shortened: e.Shortening = NOT_SHORTENED
    left_out: frozenset[str] = frozenset()
    contexts: Mapping[str, int] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return self.started.execution_id

    @property
    def open(self) -> bool:
        return self.completed is None

    @property
    def turns_begun(self) -> int:
        """With the turn that it is being asked for."""
        return len(self.turns) + (self.waiting_for is not None)

    def summary_rule(self, server: str) -> SummaryRule:
        """Results of our own tools are bounded, and read word for word."""
        if server == OWN_SERVER:
            return SummaryRule(enabled=False)
        return next((one.summary for one in self.agent.servers if one.server == server), SummaryRule())


@dataclass(frozen=True, slots=True)
class Stage:
    """`executions`: the ids of those of its agents, in their order; none before the tools are known.

    `tools`: what they may call, by the name that models use. `approvals`: those whose calls wait for a person.
    """

    started: e.StageStarted
    tools: Mapping[str, e.OfferedTool] = field(default_factory=dict)
    approvals: frozenset[str] = frozenset()
    executions: tuple[str, ...] = ()
    completed: e.StageCompleted | None = None

    @property
    def open(self) -> bool:
        return self.completed is None


@dataclass(frozen=True, slots=True)
class NotStarted:
    """A session that never was, or that was deleted.

    `deleted_by`: the request that did so; the event, where only the session's head is known.
    """

    last_decided_offset: int = NO_INPUT
    deleted_by: str = ""


@dataclass(frozen=True, slots=True)
class Cancelled:
    author: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Question:
    """A person's question, and when the log took it."""

    asked: e.QuestionAsked
    at: datetime


@dataclass(frozen=True, slots=True)
class Life:
    """One life of a session, from its opener to its end: its clocks count nothing of an earlier life.

    `opened_at`: when it came; `began_at`: its first stage, None while it waits for its turn. `question`: what this life
    answers; None while it investigates. `waiting_since`: at least one call waits for a person since then. `waited`: all
    such time before; neither counts as time of this life.
    """

    opened_at: datetime
    began_at: datetime | None = None
    question: Question | None = None
    waiting_since: datetime | None = None
    waited: timedelta = timedelta()


@dataclass(frozen=True, slots=True)
class Investigating:
    """An open session. Without a stage it waits for its turn.

    `ended`: how the investigation ended, when this life answers a question about it. `questions`: of all lives.
    `cancelled`: somebody wanted this life to end, and it waits for calls that may have run. `token_rates`: how its
    providers have counted in this life.
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
    alerts: Alerts = Alerts()
    cancelled: Cancelled | None = None
    ended: Ending | None = None
    questions: tuple[Question, ...] = ()
    token_rates: TokenRates = field(default_factory=TokenRates)

    @property
    def id_root(self) -> str:
        """The text that ids of stages and calls are derived from."""
        follows = self.started.follows
        return f"{self.session_id}/{follows}" if follows else self.session_id

    @property
    def stage(self) -> Stage | None:
        """The one that is open, or the last."""
        return self.stages[-1] if self.stages else None

    @property
    def life_seconds(self) -> float:
        """The limit of this life, from its first stage."""
        limits = self.started.chain.limits
        return limits.session_seconds if self.ended is None else limits.reply_seconds

    def executions_of(self, stage: Stage) -> list[Execution]:
        return [self.executions[id] for id in stage.executions]


@dataclass(frozen=True, slots=True)
class AtRest:
    """At rest. All that was found stays: outcomes are learned late, and a later life builds on the stages of this one.

    `started` is None when an operator ended what this code cannot read.
    """

    started: e.SessionStarted | None
    last_decided_offset: int
    ended: Ending
    stages: tuple[Stage, ...] = ()
    executions: Mapping[str, Execution] = field(default_factory=dict)
    calls: Mapping[str, ToolCallState] = field(default_factory=dict)
    answers: Mapping[str, Answered] = field(default_factory=dict)
    refusals_forgotten: bool = False
    alerts: Alerts = Alerts()
    questions: tuple[Question, ...] = ()


@dataclass(frozen=True, slots=True)
class Unsupported:
    """The log holds an event that this code cannot read: nothing is decided for the session until an operator ends it.

    `raised`: the exception that the event led to, when its type is known.
    """

    last_decided_offset: int
    raised: str = ""


type SessionState = NotStarted | Investigating | AtRest | Unsupported

NOT_STARTED = NotStarted()


def deadline_after(appended_at: datetime, seconds: float) -> datetime:
    """Deadlines count from the broker's stamp of the request, not from anybody's own clock."""
    return appended_at + timedelta(seconds=seconds)
