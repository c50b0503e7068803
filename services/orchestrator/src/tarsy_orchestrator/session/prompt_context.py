"""Context of the prompts of an execution, taken from the state of its session. Pure."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from tarsy_contracts import events as e
from tarsy_orchestrator.session.prompts.histories import compose_steps
from tarsy_orchestrator.session.prompts.material import (
    AgentHistory,
    HistoryStep,
    Runbook,
    StageFinding,
    Statement,
    ToolUse,
)
from tarsy_orchestrator.session.prompts.notes import ReadOn, note_cut, note_learned, note_summary
from tarsy_orchestrator.session.prompts.present_time import compose_time
from tarsy_orchestrator.session.prompts.task import (
    compose_executive_summary_prompt,
    compose_prompt,
    compose_synthesis_prompt,
)
from tarsy_orchestrator.session.read_result_tool import shorten_id
from tarsy_orchestrator.session.state import Execution, Investigating, Stage, ToolCallState
from tarsy_orchestrator.session.state_queries import analysis_of, final_analysis, runbook_call


def compose_task(state: Investigating, stage: Stage, at: datetime) -> str:
    """Composes the first message to the agents of a stage, who begin at this time."""
    if stage.started.stage_type == "exec_summary":
        return compose_executive_summary_prompt(state.started.alert, final_analysis(state))
    return f"{compose_time(at)}\n\n{_task(state, stage)}"


def _task(state: Investigating, stage: Stage) -> str:
    alert = state.started.alert
    match stage.started.stage_type:
        case "synthesis":
            joined = next(one for one in state.stages if one.started.stage_id == stage.started.referenced_stage_id)
            histories = [_history(state, execution) for execution in state.executions_of(joined)]
            return compose_synthesis_prompt(alert, find_runbook(state), joined.started.name, histories)
        case _:
            return compose_prompt(alert, find_runbook(state), collect_findings(state))


def collect_findings(state: Investigating) -> Sequence[StageFinding]:
    """Returns the analyses of the stages so far. Where several were joined, only the joint one counts."""
    joined = {stage.started.referenced_stage_id for stage in state.stages if not stage.open}
    return [
        StageFinding(stage.started.name, analysis)
        for stage in state.stages
        if not stage.open
        and stage.started.stage_id not in joined
        and (analysis := analysis_of(state, stage.executions))
    ]


def find_runbook(state: Investigating) -> Runbook:
    """Returns the runbook of the alert, or else that of the configuration."""
    call = runbook_call(state)
    url = state.started.alert.runbook_url or ""
    default = state.started.chain.default_runbook
    missing = ""
    if call is not None and call.completed is not None:
        if call.completed.outcome == "ok":
            return Runbook("alert", text=call.completed.content, url=url, cut=call.completed.cut)
        missing = call.completed.content or call.completed.outcome
    return Runbook("default" if default else "none", text=default, url=url if missing else "", missing=missing)


def content_of(call: ToolCallState, read_result_name: str = "") -> tuple[str, str]:
    """Returns the part of a result that the agent reads, and the note on it: the summary where there is one.

    `read_result_name`: the tool with which it can read on, if it has one.
    """
    completed = call.completed
    if completed is None:
        return "", ""
    read_on = ReadOn(read_result_name, shorten_id(call.requested.call_id)) if read_result_name else None
    summary = call.summary.ended if call.summary is not None else None
    if isinstance(summary, e.SummaryCompleted):
        return summary.content, note_summary(completed.lines, completed.size, read_on)
    if not completed.cut:
        return completed.content, ""
    return completed.content, note_cut(completed.lines, completed.size, completed.content, read_on)


def compose_steps_before(state: Investigating, execution: Execution, call_id: str, limit: int) -> str:
    """Composes the steps of an agent for the one who summarizes the result of this call, without that result."""
    return compose_steps([step for step, of_call in _steps(state, execution) if of_call != call_id], limit)


def _history(state: Investigating, execution: Execution) -> AgentHistory:
    completed = execution.completed
    return AgentHistory(
        agent=execution.started.agent,
        status="failed" if completed is None else completed.status,
        analysis="" if completed is None else completed.final_analysis,
        error="" if completed is None else completed.error,
        steps=tuple(step for step, _ in _steps(state, execution)),
    )


def _steps(state: Investigating, execution: Execution) -> Iterator[tuple[HistoryStep, str]]:
    """Each step with the id of its call, which is empty where it has none."""
    for turn in execution.turns:
        if turn.answer.thinking or turn.answer.text:
            yield Statement(turn.answer.thinking, turn.answer.text), ""
        for call_id in turn.calls:
            call = state.calls[call_id]
            requested, completed = call.requested, call.completed
            content, note = content_of(call)
            outcome = "unknown" if completed is None else completed.outcome
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
            )
            yield use, call_id
