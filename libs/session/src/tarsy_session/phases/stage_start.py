"""The beginning of a stage, as an event. Pure."""

from collections.abc import Sequence

from tarsy_contracts import events as e
from tarsy_contracts.chain import ResolvedAgent, StageType
from tarsy_contracts.wire.ids import stage_id
from tarsy_session.state import Investigating


def begin_stage(
    state: Investigating,
    name: str,
    stage_type: StageType,
    agents: Sequence[ResolvedAgent],
    *,
    id: str = "",
    slot: int | None = None,
    referenced_stage_id: str | None = None,
) -> e.StageStarted:
    """`slot`: of the stage in the plan. One that has none, or one agent, has no policy."""
    index = len(state.stages) + 1
    parallel = state.started.chain.stages[slot] if slot is not None and len(agents) > 1 else None
    return e.StageStarted(
        stage_id=id or stage_id(state.id_root, index),
        index=index,
        name=name,
        stage_type=stage_type,
        chain_stage=slot,
        expected_agent_count=len(agents),
        parallel_type=None if parallel is None else "replica" if parallel.replicas else "multi_agent",
        success_policy=None if parallel is None else parallel.success_policy,
        referenced_stage_id=referenced_stage_id,
    )
