"""Record of a session without the contents: its stages, their executions, and the interactions of each. Pure."""

from tarsy_contracts.api.trace import SessionTrace, TracedExecution, TracedPhase, TracedStage
from tarsy_contracts.events.execution import CostFacts
from tarsy_contracts.timeline.model import StepStatus
from tarsy_contracts.wire.envelope import wire_time
from tarsy_session.state import AtRest, Execution, Investigating, PhaseRun, Stage
from tarsy_timeline.record.listed_llm import list_llm
from tarsy_timeline.record.mcp_interactions import list_calls, list_mcp
from tarsy_timeline.record.replay import ReplayedSession


def trace_of(session: ReplayedSession, session_id: str, last_number: int) -> SessionTrace:
    return SessionTrace(
        session_id=session_id,
        last_number=last_number,
        complete=session.complete,
        stages=tuple(_stage(session, stage) for stage in session.stages),
        session_interactions=(),
        session_mcp_interactions=list_calls(session, ""),
        phases=() if session.state is None else tuple(_phase(session.state, run) for run in session.state.phase_runs),
    )


def _stage(session: ReplayedSession, stage: Stage) -> TracedStage:
    started = stage.started
    return TracedStage(
        stage_id=started.stage_id,
        stage_name=started.name,
        stage_type=started.stage_type,
        referenced_stage_id=started.referenced_stage_id,
        executions=tuple(
            _execution(session, execution)
            for execution in session.executions.values()
            if execution.started.stage_id == started.stage_id
        ),
    )


def _execution(session: ReplayedSession, execution: Execution) -> TracedExecution:
    state = session.state
    cost = CostFacts() if state is None else CostFacts.of(state.budgets.own_spending(execution.id))
    return TracedExecution(
        execution_id=execution.id,
        agent_name=execution.started.agent,
        parent_execution_id=execution.parent_id or None,
        task=execution.started.task or None,
        context_tokens=_context_tokens(execution),
        llm_interactions=list_llm(session, execution),
        mcp_interactions=list_mcp(session, execution),
        cost=cost.cost,
        cost_completeness=cost.cost_completeness,
        unpriced_calls=cost.unpriced_calls,
    )


def _context_tokens(execution: Execution) -> int | None:
    """A limit that a refusal told counts before the one that is configured."""
    provider, agent = execution.llm_provider, execution.agent
    return execution.contexts.get(provider) or agent.known_contexts.get(provider) or agent.context_tokens or None


def _phase(state: Investigating | AtRest, run: PhaseRun) -> TracedPhase:
    requested, completed = run.requested, run.completed
    return TracedPhase(
        phase=requested.phase,
        phase_id=requested.phase_id,
        number=requested.number,
        author=requested.author,
        status=_status(state, run),
        error="" if completed is None else completed.error,
        stage_id=None if completed is None else completed.stage_id or None,
        requested_at=wire_time(run.at),
        result=None if completed is None else completed.result,
    )


def _status(state: Investigating | AtRest, run: PhaseRun) -> StepStatus:
    """A phase that neither runs nor has ended gave way to a question."""
    if run.completed is not None:
        return run.completed.status
    runs = isinstance(state, Investigating) and state.life.requested == run.requested
    return "active" if runs else "cancelled"
