"""Steps of a watched session: what a message needs to know of stages, executions and calls that began earlier."""

from dataclasses import dataclass, field
from typing import Self

from tarsy_contracts import events as e
from tarsy_contracts.api.timeline import SessionHistory


@dataclass(frozen=True, slots=True)
class StageStep:
    stage_type: str
    referenced_stage_id: str | None = None


@dataclass(frozen=True, slots=True)
class ExecutionStep:
    """No `max_iterations`: the event is from before they were recorded."""

    stage_id: str
    max_iterations: int = 0


@dataclass(slots=True)
class WatchedSteps:
    """By their ids. `calls`: the execution of each tool call. `total_stages`: those of the plan, 0 if unknown."""

    total_stages: int = 0
    stages: dict[str, StageStep] = field(default_factory=dict)
    executions: dict[str, ExecutionStep] = field(default_factory=dict)
    calls: dict[str, str] = field(default_factory=dict)

    def add(self, earlier: Self) -> None:
        """Adds those of a history."""
        self.total_stages = self.total_stages or earlier.total_stages
        self.stages |= earlier.stages
        self.executions |= earlier.executions
        self.calls |= earlier.calls

    def note(self, event: object) -> None:
        match event:
            case e.SessionStarted():
                self.total_stages = len(event.chain.stages)
            case e.StageStarted():
                self.stages[event.stage_id] = StageStep(event.stage_type, event.referenced_stage_id)
            case e.ExecutionStarted():
                self.executions[event.execution_id] = ExecutionStep(event.stage_id, event.max_iterations)
            case e.ToolCallRequested():
                self.calls[event.call_id] = event.execution_id
            case _:
                pass

    def stage_of(self, execution_id: str | None) -> str | None:
        execution = self.executions.get(execution_id or "")
        return None if execution is None else execution.stage_id

    def stage_type(self, execution_id: str) -> str:
        stage = self.stages.get(self.stage_of(execution_id) or "")
        return "" if stage is None else stage.stage_type


def steps_of(answer: SessionHistory) -> WatchedSteps:
    """From the timeline's answer."""
    session = answer.session
    return WatchedSteps(
        total_stages=session.total_stages,
        stages={stage.id: StageStep(stage.stage_type, stage.referenced_stage_id) for stage in session.stages},
        executions={
            one.execution_id: ExecutionStep(stage.id, one.max_iterations or 0)
            for stage in session.stages
            for one in stage.executions
        },
        calls={
            str(event.metadata["call_id"]): event.execution_id or ""
            for event in answer.timeline
            if event.event_type == "llm_tool_call" and "call_id" in event.metadata
        },
    )
