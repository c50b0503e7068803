"""Histories of executions for prompts, taken from the state of their session. Pure."""

from collections.abc import Iterator

from tarsy_contracts.native_calls import describe_native_call
from tarsy_session.prompts.earlier_results import compose_earlier_steps
from tarsy_session.prompts.material import AgentHistory, HistoryStep, NativeUse, Statement, ToolUse
from tarsy_session.prompts.notes import note_learned
from tarsy_session.result_content import content_of
from tarsy_session.state import Execution, Investigating
from tarsy_session.text import shorten_id


def compose_steps_before(state: Investigating, execution: Execution, call_id: str, limit: int, *, results: int) -> str:
    """Composes the steps of an agent for the one who summarizes the result of this call, without that result.

    `results`: characters of the results among them.
    """
    steps = [step for step, of_call in _steps(state, execution) if of_call != call_id]
    return compose_earlier_steps(steps, limit, results=results)


def history_of(state: Investigating, execution: Execution) -> AgentHistory:
    completed, parent = execution.completed, state.executions.get(execution.parent_id)
    sent = "" if parent is None else f" (sent by {parent.started.agent})"
    return AgentHistory(
        agent=f"{execution.started.agent}{sent}",
        status="failed" if completed is None else completed.status,
        analysis="" if completed is None else completed.final_analysis,
        error="" if completed is None else completed.error,
        steps=tuple(step for step, _ in _steps(state, execution)),
    )


def _steps(state: Investigating, execution: Execution) -> Iterator[tuple[HistoryStep, str]]:
    """Each step with the id of its call, which is empty where it has none."""
    for turn in execution.turns:
        for native in turn.answer.native_calls:
            yield NativeUse(describe_native_call(native)), ""
        if turn.answer.thinking or turn.answer.text:
            yield Statement(turn.answer.thinking, turn.answer.text), ""
        for call_id in turn.calls:
            call = state.calls[call_id]
            requested, completed = call.requested, call.completed
            content, note = content_of(state.calls, call)
            outcome = None if completed is None else completed.outcome
            if call.learned is not None:
                learned = call.learned.event
                content, note, outcome = learned.content, note_learned(cut=learned.cut), learned.outcome
            use = ToolUse(
                server=requested.server,
                tool=requested.tool,
                arguments=requested.arguments,
                outcome=outcome,
                content=content,
                note=note,
                at=call.completed_at,
                result=shorten_id(call_id),
                number=requested.number,
                waits_for_person=call.waits_for_person,
            )
            yield use, call_id
