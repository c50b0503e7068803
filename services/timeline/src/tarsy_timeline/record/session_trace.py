"""Record of a session without the contents: its stages, their executions, and the interactions of each. Pure."""

from tarsy_contracts.api.trace import SessionTrace, TracedExecution, TracedStage
from tarsy_session.state import Execution, Stage
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
    )


def _stage(session: ReplayedSession, stage: Stage) -> TracedStage:
    started = stage.started
    return TracedStage(
        stage_id=started.stage_id,
        stage_name=started.name,
        stage_type=started.stage_type,
        referenced_stage_id=started.referenced_stage_id,
        executions=tuple(_execution(session, session.executions[id]) for id in stage.executions),
    )


def _execution(session: ReplayedSession, execution: Execution) -> TracedExecution:
    return TracedExecution(
        execution_id=execution.id,
        agent_name=execution.started.agent,
        llm_interactions=list_llm(session, execution),
        mcp_interactions=list_mcp(session, execution),
    )
