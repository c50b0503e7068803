"""State of stages and of the runs of their agents. Only `evolve` makes it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tarsy_contracts import events as e
from tarsy_contracts.builtin_tools import OWN_SERVER
from tarsy_contracts.chain import NativeTool, ResolvedAgent, StageType, SummaryRule

NOT_SHORTENED = e.Shortening()
INVESTIGATION = "investigation"
"""The phase that every session begins with."""


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

    `first`: the attempt with which the present question began: a parent that waited is asked again in its iteration.
    `failures`: in a row, of the provider that is asked now. `waited_seconds`: because providers had too much to do.
    `failed`: the last failure, while no answer came after it.
    """

    attempt: int = 0
    first: int = 1
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
    `waited_before`: how long its life had waited for people when it began. `read_after`: of a sub-agent that has
    ended, the turn after which its parent reads what came of it. `native_tools_left_out`: the tools of its provider
    that its model did not get, as far as that was told.
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
    waited_before: timedelta = timedelta()
    read_after: int = 0
    native_tools_left_out: tuple[NativeTool, ...] = ()

    @property
    def id(self) -> str:
        return self.started.execution_id

    @property
    def parent_id(self) -> str:
        """Empty for an agent of the stage itself."""
        return self.started.parent_execution_id

    @property
    def open(self) -> bool:
        return self.completed is None

    @property
    def fallbacks_left(self) -> tuple[str, ...]:
        """The providers that were not given up yet, behind the one that is asked now."""
        return self.agent.fallback_providers[self.fallbacks :]

    @property
    def turns_begun(self) -> int:
        """Includes the turn that is being requested."""
        return len(self.turns) + (self.waiting_for is not None)

    def summary_rule(self, server: str) -> SummaryRule:
        """Results of our own tools are bounded, and read word for word."""
        if server == OWN_SERVER:
            return SummaryRule(enabled=False)
        return next((one.summary for one in self.agent.servers if one.server == server), SummaryRule())


@dataclass(frozen=True, slots=True)
class Stage:
    """`phase`: that of its life. `executions`: the ids of its agents' runs, in order; none before the tools are known.
    Those of sub-agents are not among them. `sub_agents`: the tools of those that may be sent, by their key.

    `tools`: what they may call, by the name that models use. `approvals`: those whose calls wait for a person.
    """

    started: e.StageStarted
    phase: str
    tools: Mapping[str, e.OfferedTool] = field(default_factory=dict)
    approvals: frozenset[str] = frozenset()
    sub_agents: Mapping[str, e.SubAgentTools] = field(default_factory=dict)
    executions: tuple[str, ...] = ()
    completed: e.StageCompleted | None = None

    @property
    def open(self) -> bool:
        return self.completed is None
