"""What a session owes: the calls whose outcome is still missing. Pure."""

from dataclasses import dataclass

from tarsy_contracts import events as e
from tarsy_orchestrator.state import Call, Claim, Execution, Investigating, State, Summary


@dataclass(frozen=True, slots=True)
class OwedTools:
    """The tools that the catalog offers to the agent of a stage that has started."""

    stage: e.StageStarted

    @property
    def id(self) -> str:
        return self.stage.stage_id


@dataclass(frozen=True, slots=True)
class OwedLlmCall:
    execution: Execution
    asked: e.LlmCallRequested

    @property
    def id(self) -> str:
        return self.asked.llm_call_id


@dataclass(frozen=True, slots=True)
class OwedToolCall:
    call: Call

    @property
    def id(self) -> str:
        return self.call.requested.call_id

    @property
    def claim(self) -> Claim | None:
        return self.call.claim

    @property
    def releases(self) -> int:
        return self.call.releases


@dataclass(frozen=True, slots=True)
class OwedSummary:
    call: Call
    summary: Summary

    @property
    def id(self) -> str:
        return self.summary.requested.summary_id

    @property
    def claim(self) -> Claim | None:
        return self.summary.claim

    @property
    def releases(self) -> int:
        return self.summary.releases


type OwnWork = OwedTools | OwedLlmCall
type QueuedCall = OwedToolCall | OwedSummary
type Owed = OwnWork | QueuedCall


def owed(state: State) -> list[Owed]:
    """In the order in which they came to be owed. Each has an id; an answer names it."""
    if not isinstance(state, Investigating):
        return []
    missing: list[Owed] = []
    if state.stage is not None and state.execution is None and state.cancelled_by is None:
        missing.append(OwedTools(state.stage))
    if state.execution is not None and state.execution.waiting_for is not None:
        missing.append(OwedLlmCall(state.execution, state.execution.waiting_for))
    for call in state.calls.values():
        if call.open:
            missing.append(OwedToolCall(call))
        elif call.summary is not None and call.summary.ended is None:
            missing.append(OwedSummary(call, call.summary))
    return missing
