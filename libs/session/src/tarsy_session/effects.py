"""Effects that a session owes: calls, admissions and deadlines whose outcome is still missing. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from tarsy_contracts import events as e
from tarsy_contracts.alert import Priority, priority_of
from tarsy_contracts.wire.ids import derive_id
from tarsy_session.actions.dry_runs import may_run
from tarsy_session.builtin_tools import run_of
from tarsy_session.deadlines import list_deadlines
from tarsy_session.phases import phase_of
from tarsy_session.phases.phase import Admission
from tarsy_session.stages import list_wanted_servers
from tarsy_session.state import (
    Claim,
    Execution,
    Investigating,
    PendingLlmCall,
    SessionState,
    Summary,
    ToolCallState,
)
from tarsy_session.summaries import is_owed


@dataclass(frozen=True, slots=True)
class AdmissionEffect:
    """A place among the sessions that run at once, or among their phases after the end."""

    session_id: str
    queue: Admission
    priority: Priority
    since: datetime
    phase_id: str = ""

    @property
    def id(self) -> str:
        return derive_id("place", self.session_id, *([self.phase_id] if self.phase_id else []))


@dataclass(frozen=True, slots=True)
class OfferToolsEffect:
    """The tools that the catalog offers to the agents of a stage that has started."""

    stage: e.StageStarted
    servers: Sequence[str]

    @property
    def id(self) -> str:
        return self.stage.stage_id


@dataclass(frozen=True, slots=True)
class LlmCallEffect:
    execution: Execution
    pending: PendingLlmCall

    @property
    def id(self) -> str:
        return self.pending.requested.llm_call_id

    @property
    def llm_provider(self) -> str:
        """The provider that is asked. Events from before it was recorded with a call have that of the execution."""
        return self.pending.requested.llm_provider or self.execution.llm_provider


@dataclass(frozen=True, slots=True)
class DeadlineEffect:
    """End of an iteration or of the session: at `deadline`, whatever has come by then."""

    id: str
    since: datetime
    deadline: datetime


@dataclass(frozen=True, slots=True)
class ToolCallEffect:
    call: ToolCallState

    @property
    def id(self) -> str:
        return self.call.requested.call_id

    @property
    def since(self) -> datetime:
        return self.call.requested_at

    @property
    def deadline(self) -> datetime:
        return self.call.deadline

    @property
    def claim(self) -> Claim | None:
        return self.call.claim

    @property
    def releases(self) -> int:
        return self.call.releases


@dataclass(frozen=True, slots=True)
class SummaryEffect:
    call: ToolCallState
    summary: Summary

    @property
    def id(self) -> str:
        return self.summary.requested.summary_id

    @property
    def since(self) -> datetime:
        return self.summary.requested_at

    @property
    def deadline(self) -> datetime:
        return self.summary.deadline

    @property
    def claim(self) -> Claim | None:
        return self.summary.claim

    @property
    def releases(self) -> int:
        return self.summary.releases


type OwnEffect = AdmissionEffect | OfferToolsEffect | LlmCallEffect
type QueuedEffect = ToolCallEffect | SummaryEffect
type Effect = OwnEffect | QueuedEffect | DeadlineEffect


def effects_of(state: SessionState) -> list[Effect]:
    """Returns effects in the order in which they came to be owed. Each has an id; its outcome names it."""
    if not isinstance(state, Investigating):
        return []
    missing: list[Effect] = [DeadlineEffect(one.id, one.since, one.at) for one in list_deadlines(state)]
    if state.cancelled is None:
        missing += _steps(state)
    return missing + [one for call in state.calls.values() if (one := effect_of_call(state, call)) is not None]


def effect_of_call(state: Investigating, call: ToolCallState) -> QueuedEffect | None:
    """Returns what a worker has to do for the call now: run it, or summarise its result."""
    if not may_run(state, call):
        return None
    if call.open:
        return ToolCallEffect(call) if run_of(state, call) is None else None
    if call.summary is not None and is_owed(state.calls, call.summary):
        return SummaryEffect(call, call.summary)
    return None


def _steps(state: Investigating) -> Iterator[OwnEffect]:
    stage, life, queue = state.stage, state.life, phase_of(state).admission
    if life.began_at is None and queue is not None:
        id = "" if life.requested is None else life.requested.phase_id
        yield AdmissionEffect(state.session_id, queue, priority_of(state.started.alert), life.opened_at, id)
        return
    if stage is None:
        return
    if servers := list_wanted_servers(state):
        yield OfferToolsEffect(stage.started, servers)
    for execution in state.all_executions_of(stage):
        if execution.waiting_for is not None:
            yield LlmCallEffect(execution, execution.waiting_for)
