"""A phase after the end: one stage with one agent, whose answer is read into a result. Pure.

It waits in a queue of its own, a person's question ends it, and the investigation stays as it ended.
"""

from collections.abc import Callable, Sequence
from functools import partial

from pydantic import JsonValue

from tarsy_contracts import events as e
from tarsy_contracts.chain import CallLimits, ResolvedAgent, ResolvedChain, StageType
from tarsy_session.phases.phase import Due, Instruct, Phase, StageKind, Task
from tarsy_session.phases.stage_start import begin_stage
from tarsy_session.state import AtRest, Execution, Investigating, Stage

type FindAgent = Callable[[ResolvedChain], ResolvedAgent | None]
NO_AGENT = "the plan of the session names no agent for it"

type ReadResult = Callable[[Investigating, Execution, str], JsonValue]
"""Reads the result of the phase from its agent's answer. Raises ValueError: then the phase has failed."""
type Conclude = Callable[[Investigating, JsonValue], tuple[Sequence[e.Event], JsonValue]]
"""Returns what follows from what was read, before the end of the phase, and the result that this end shows."""


def _conclude_nothing(state: Investigating, result: JsonValue) -> tuple[Sequence[e.Event], JsonValue]:
    return (), result


def build_phase(
    name: str,
    *,
    stage: str,
    stage_type: StageType,
    agent: FindAgent,
    instruct: Instruct,
    task: Task,
    read: ReadResult,
    seconds: Callable[[CallLimits], float],
    due: Due,
    conclude: Conclude = _conclude_nothing,
) -> Phase:
    """`stage`: its name for people. `agent`: who works in it, by the plan; None where the plan has none."""

    def agents(chain: ResolvedChain, place: int | None) -> tuple[ResolvedAgent, ...]:
        found = agent(chain)
        return () if found is None else (found,)

    def start(state: Investigating) -> Sequence[e.Event]:
        found = agents(state.started.chain, None)
        return [begin_stage(state, stage, stage_type, found) if found else _make_phase_end(state, "failed", NO_AGENT)]

    return Phase(
        name=name,
        kinds={stage_type: StageKind(agents, instruct, task)},
        seconds=seconds,
        start=start,
        follow=partial(_follow_stage, read, conclude),
        end=_make_phase_end,
        question_refusal=None,
        admission="background",
        due=due,
    )


def has_completed(state: AtRest, phase: str) -> bool:
    """Whether the phase ran to its end, well or not."""
    return any(run.requested.phase == phase and run.completed is not None for run in state.phase_runs)


def _follow_stage(
    read: ReadResult, conclude: Conclude, state: Investigating, stage: Stage, completed: e.StageCompleted
) -> Sequence[e.Event]:
    if completed.status != "completed":
        return [_make_phase_end(state, completed.status, completed.error)]
    (execution,) = state.executions_of(stage)
    answer = execution.completed.final_analysis if execution.completed is not None else ""
    try:
        follows, result = conclude(state, read(state, execution, answer))
    except ValueError as problem:
        return [_make_phase_end(state, "failed", f"the answer cannot be read: {problem}")]
    return [*follows, _make_phase_end(state, "completed", "").model_copy(update={"result": result})]


def _make_phase_end(state: Investigating, status: e.EndStatus, error: str) -> e.PhaseCompleted:
    requested, stage = state.life.requested, state.stage
    assert requested is not None
    begun = state.life.began_at is not None and stage is not None
    return e.PhaseCompleted(
        phase=requested.phase,
        phase_id=requested.phase_id,
        stage_id=stage.started.stage_id if begun and stage is not None else "",
        status=status,
        error=error,
    )
