"""Messages of progress and of the record, as Go TARSy's dashboard expects them: pure.

The page needs none of them: it knows the same from stages, executions and timeline events.
"""

from collections.abc import Iterator

from tarsy_contracts import events as e
from tarsy_contracts.api.websocket_progress import (
    ExecutionPhase,
    ExecutionProgressed,
    InteractionKind,
    InteractionRecorded,
    SessionProgressed,
)
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.wire.envelope import wire_time
from tarsy_contracts.wire.ids import summary_attempt_id
from tarsy_websocket_gateway.messages.outgoing import Outgoing, encode, encode_logged
from tarsy_websocket_gateway.messages.watched_steps import WatchedSteps

PHASES: dict[str, ExecutionPhase] = {
    "action": "remediating",
    "synthesis": "synthesizing",
    "compose": "synthesizing",
    "exec_summary": "finalizing",
}
"""By the type of the stage."""
MESSAGES: dict[str, str] = {
    "remediating": "Acting",
    "synthesizing": "Making one analysis of several",
    "finalizing": "Writing the executive summary",
    "concluding": "Concluding",
}


def progress_messages(record: RecordedEvent, steps: WatchedSteps) -> Iterator[Outgoing]:
    """`steps`: those of the session, this event included."""
    match record.event:
        case e.StageStarted() as started:
            yield encode(_session_progress_message(record, started, steps))
        case e.LlmCallRequested() as asked:
            phase, message = _phase_and_message(asked, steps)
            yield from _execution_progress_messages(record, steps, asked.execution_id, phase, message)
        case e.ToolCallRequested() as call:
            message = f"Calling {call.server}.{call.tool}"
            yield from _execution_progress_messages(record, steps, call.execution_id, "gathering_info", message)
        case e.SummaryRequested() as summary:
            message = f"Summarizing the result of {summary.server}.{summary.tool}" if summary.tool else "Summarizing"
            yield from _execution_progress_messages(record, steps, summary.execution_id, "distilling", message)
        case e.LlmCallCompleted() | e.LlmCallFailed() as answer:
            yield encode_logged(_interaction_message(record, steps, answer.llm_call_id, "llm", answer.execution_id))
        case e.ToolCallCompleted() as result:
            execution_id = steps.calls.get(result.call_id, "")
            yield encode_logged(_interaction_message(record, steps, result.call_id, "mcp", execution_id))
        case e.SummaryCompleted() | e.SummaryFailed() as made:
            for number in range(1, len(made.attempts) + 1):
                id = summary_attempt_id(made.summary_id, number)
                yield encode_logged(_interaction_message(record, steps, id, "llm", made.execution_id))
        case _:
            return


def _phase_and_message(requested: e.LlmCallRequested, steps: WatchedSteps) -> tuple[ExecutionPhase, str]:
    phase = PHASES.get(steps.stage_type(requested.execution_id))
    if phase is None and requested.purpose == "conclusion":
        phase = "concluding"
    if phase is not None:
        return phase, MESSAGES[phase]
    execution = steps.executions.get(requested.execution_id)
    limit = f"/{execution.max_iterations}" if execution is not None and execution.max_iterations else ""
    return "investigating", f"Iteration {requested.iteration}{limit}"


def _session_progress_message(record: RecordedEvent, stage: e.StageStarted, steps: WatchedSteps) -> SessionProgressed:
    total = max(steps.total_stages, stage.index)
    return SessionProgressed(
        type="session.progress",
        current_stage_name=stage.name,
        current_stage_index=stage.index,
        total_stages=total,
        active_executions=stage.expected_agent_count,
        status_text=f"Stage {stage.index} of {total}: {stage.name}",
        session_id=record.session_id,
        timestamp=wire_time(record.envelope.time),
        number=record.number,
    )


def _execution_progress_messages(
    record: RecordedEvent, steps: WatchedSteps, execution_id: str, phase: ExecutionPhase, message: str
) -> Iterator[Outgoing]:
    """Nothing for a call of no agent."""
    stage_id = steps.stage_of(execution_id)
    if stage_id is None:
        return
    progress = ExecutionProgressed(
        type="execution.progress",
        stage_id=stage_id,
        execution_id=execution_id,
        phase=phase,
        message=message,
        session_id=record.session_id,
        timestamp=wire_time(record.envelope.time),
        number=record.number,
    )
    yield encode(progress)


def _interaction_message(
    record: RecordedEvent, steps: WatchedSteps, id: str, kind: InteractionKind, execution_id: str
) -> InteractionRecorded:
    message = InteractionRecorded(
        type="interaction.created",
        interaction_id=id,
        interaction_type=kind,
        session_id=record.session_id,
        timestamp=wire_time(record.envelope.time),
        number=record.number,
    )
    stage_id = steps.stage_of(execution_id)
    return message if stage_id is None else message.with_facts({"stage_id": stage_id, "execution_id": execution_id})
