"""What follows by itself, in a state in which something has just changed. Pure."""

from collections.abc import Sequence

from tarsy_contracts import events as e
from tarsy_contracts.chain import SummaryRule
from tarsy_contracts.identities import llm_call_id, summary_id
from tarsy_orchestrator.state import Call, Execution, Investigating, State

BYTES_PER_TOKEN = 3
"""Of JSON and logs; for prose it is nearer to 4. Only sizes are compared by it."""
BLANK_ANSWERS = 3
"""So many answers in a row without a word or a call end the execution."""


def consequences(state: State) -> Sequence[e.Event]:
    """The next events that the state itself brings; empty when it waits for an input."""
    if not isinstance(state, Investigating):
        return []
    if state.cancelled_by is not None:
        return _cancellation(state, state.cancelled_by)
    execution = state.execution
    if execution is None:
        return []
    if summaries := _summaries(state, execution):
        return summaries
    if execution.waiting_for is not None:
        return []
    return _next_step(state, execution)


def _cancellation(state: Investigating, author: str) -> Sequence[e.Event]:
    """Closes all that is open. What was granted and may have taken effect is waited for."""
    events = _closed(state, "cancelled")
    if any(call.at_risk for call in state.calls.values()):
        return events
    return [*events, *finish(state, "cancelled", error=f"cancelled by {author}", author=author)]


def fail(state: State, error: str) -> list[e.Event]:
    """The session ends now, because it cannot go on. Nothing when it does not run."""
    if not isinstance(state, Investigating):
        return []
    at_risk = [
        e.ToolCallCompleted(call_id=call_id, outcome="unknown", content=error)
        for call_id, call in state.calls.items()
        if call.at_risk
    ]
    return [*_closed(state, error), *at_risk, *finish(state, "failed", error=error)]


def _closed(state: Investigating, reason: str) -> list[e.Event]:
    """Ends what is open and harmless: LLM calls, summaries, and calls that were never granted or may run twice."""
    events: list[e.Event] = []
    if state.execution is not None and state.execution.waiting_for is not None:
        asked = state.execution.waiting_for
        failed = e.LlmCallFailed(
            llm_call_id=asked.llm_call_id, execution_id=asked.execution_id, error=reason, retryable=False
        )
        events.append(failed)
    for call_id, call in state.calls.items():
        if call.open and not call.at_risk:
            events.append(e.ToolCallCompleted(call_id=call_id, outcome="cancelled", content=reason))
        elif call.summary is not None and call.summary.ended is None:
            requested = call.summary.requested
            events.append(e.SummaryFailed(summary_id=requested.summary_id, call_id=call_id, error=reason))
    return events


def _summaries(state: Investigating, execution: Execution) -> Sequence[e.Event]:
    return [
        e.SummaryRequested(
            summary_id=summary_id(call_id),
            call_id=call_id,
            execution_id=call.requested.execution_id,
            timeout_seconds=state.started.chain.limits.summary_seconds,
        )
        for call_id, call in state.calls.items()
        if call.summary is None and _too_long(call, execution)
    ]


def _too_long(call: Call, execution: Execution) -> bool:
    if call.completed is None or call.completed.outcome != "ok":
        return False
    rule = next(
        (server.summary for server in execution.agent.servers if server.server == call.requested.server), SummaryRule()
    )
    return rule.enabled and call.completed.size > rule.size_threshold_tokens * BYTES_PER_TOKEN


def _next_step(state: Investigating, execution: Execution) -> Sequence[e.Event]:
    if not execution.turns:
        return [_ask(execution, iteration=1)]
    turn = execution.turns[-1]
    if not all(state.calls[call_id].settled for call_id in turn.calls):
        return []
    if turn.calls:
        return [_ask(execution, iteration=execution.iteration + 1)]
    text = turn.answer.text.strip()
    if text:
        return finish(state, "completed", final_analysis=text)
    if turn.requested.purpose == "conclusion" or _blank_answers(execution) >= BLANK_ANSWERS:
        return finish(state, "failed", error="the model gave no answer")
    return [_ask(execution, iteration=execution.iteration + 1)]


def _ask(execution: Execution, *, iteration: int) -> e.LlmCallRequested:
    """Past the last iteration the model is asked once more, without tools, to conclude."""
    started = execution.started
    return e.LlmCallRequested(
        llm_call_id=llm_call_id(started.execution_id, iteration, 1),
        execution_id=started.execution_id,
        iteration=iteration,
        attempt=1,
        purpose="iteration" if iteration <= execution.agent.max_iterations else "conclusion",
    )


def _blank_answers(execution: Execution) -> int:
    count = 0
    for turn in reversed(execution.turns):
        if turn.calls or turn.answer.text.strip():
            break
        count += 1
    return count


def finish(
    state: Investigating, status: e.EndStatus, *, final_analysis: str = "", error: str = "", author: str = ""
) -> list[e.Event]:
    """Execution, stage and session end together, as there is one of each."""
    events: list[e.Event] = []
    if state.execution is not None:
        started = state.execution.started
        events.append(
            e.ExecutionCompleted(
                execution_id=started.execution_id,
                stage_id=started.stage_id,
                agent=started.agent,
                index=started.index,
                status=status,
                final_analysis=final_analysis,
                error=error,
            )
        )
    if state.stage is not None:
        stage = state.stage
        events.append(
            e.StageCompleted(stage_id=stage.stage_id, index=stage.index, name=stage.name, status=status, error=error)
        )
    if status == "completed":
        return [*events, e.SessionCompleted(final_analysis=final_analysis)]
    if status == "cancelled":
        return [*events, e.SessionCancelled(author=author)]
    return [*events, e.SessionFailed(error=error)]


def offered_tool(started: e.ExecutionStarted, name: str) -> e.OfferedTool | None:
    return next((tool for tool in started.tools if tool.definition.name == name), None)
