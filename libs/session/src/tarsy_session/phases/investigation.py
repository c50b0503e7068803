"""The investigation: the stages of the plan, each with a synthesis where it has several agents, and a summary. Pure."""

from collections.abc import Sequence

from tarsy_contracts import events as e
from tarsy_contracts.chain import ResolvedAgent, ResolvedChain, ResolvedStage
from tarsy_session.builtin_tools import first_calls
from tarsy_session.executions.budget_check import explain_end
from tarsy_session.phases.phase import Phase, StageKind
from tarsy_session.phases.stage_start import begin_stage
from tarsy_session.phases.summary_labels import part_labels
from tarsy_session.prompt_context.investigation import (
    compose_action,
    compose_investigation,
    compose_report,
    compose_summary,
    compose_synthesis,
)
from tarsy_session.prompts.system import (
    instruct_composer,
    instruct_investigator,
    instruct_joiner,
    instruct_summariser,
)
from tarsy_session.state import INVESTIGATION, Ending, Investigating, Stage
from tarsy_session.state.sources import select_cited
from tarsy_session.state_queries import final_analysis, is_action, is_last_action, partial_reason
from tarsy_session.tools.withheld_tools import evidence_limits

EXECUTIVE_SUMMARY = "Executive Summary"
PLANNED = ("investigation", "action")
"""Types of the stages that the plan names. Where all agents of one may act, it is an action."""
NOT_ENDED = "the investigation has not ended yet"


def _start(state: Investigating) -> Sequence[e.Event]:
    return [_begin_planned(state, 0), *first_calls(state)]


def _follow(state: Investigating, ended: Stage, completed: e.StageCompleted) -> Sequence[e.Event]:
    """A stage that did not complete ends the session."""
    started, chain = ended.started, state.started.chain
    if started.stage_type == "exec_summary":
        return [_summarised(state, ended, completed)]
    if reason := explain_end(state):
        return [_end_in_budget(state, reason)]
    if completed.status != "completed" and started.stage_type != "compose":
        return [end_session(state, completed.status, completed.error)]
    index = started.chain_stage if started.chain_stage is not None else len(chain.stages)
    if started.stage_type in PLANNED and chain.stages[index].synthesis is not None:
        return [_begin_synthesis(state, ended, chain.stages[index], index)]
    if started.stage_type != "compose" and is_last_action(chain, index) and chain.compose is not None:
        return [_begin_report(state, ended, chain.compose, index)]
    if index + 1 < len(chain.stages):
        return [_begin_planned(state, index + 1)]
    if chain.executive_summary is not None and final_analysis(state):
        return [begin_stage(state, EXECUTIVE_SUMMARY, "exec_summary", (chain.executive_summary,))]
    return [_complete(state)]


def end_session(state: Investigating, status: e.EndStatus, error: str) -> Ending:
    """An analysis that only lacks its amended report or executive summary when the time is up is kept."""
    if status == "timed_out":
        summarises = state.stage is not None and state.stage.started.stage_type in ("exec_summary", "compose")
        return _complete(state, executive_summary_error=error) if summarises else e.SessionTimedOut(error=error)
    if status == "cancelled" and state.cancelled is not None:
        return e.SessionCancelled(author=state.cancelled.author, comment=state.cancelled.comment)
    return e.SessionFailed(error=error)


def _end_in_budget(state: Investigating, reason: str) -> Ending:
    """No further stage begins. The analysis is that of the stages before."""
    if not final_analysis(state):
        return end_session(state, "failed", reason)
    error = reason if state.started.chain.executive_summary is not None else ""
    return _complete(state, executive_summary_error=error, otherwise_partial=reason)


def _complete(
    state: Investigating, *, executive_summary: str = "", executive_summary_error: str = "", otherwise_partial: str = ""
) -> e.SessionCompleted:
    """Returns the end with an analysis, and with what that analysis could not rest on."""
    analysis, summary = final_analysis(state), part_labels(executive_summary, state.started.chain.labels)
    return e.SessionCompleted(
        final_analysis=analysis,
        executive_summary=summary.text,
        executive_summary_error=executive_summary_error,
        partial_reason=partial_reason(state) or otherwise_partial,
        evidence_limits=evidence_limits(state),
        sources=select_cited(state, analysis, summary.text),
        labels=tuple(dict.fromkeys((*state.started.labels, *summary.labels))),
        labels_error=summary.error,
    )


def _summarised(state: Investigating, stage: Stage, completed: e.StageCompleted) -> e.SessionCompleted:
    """The executive summary is nice to have: without it the session completes all the same, and says why."""
    (execution,) = state.executions_of(stage)
    summary = execution.completed.final_analysis if execution.completed is not None else ""
    error = "" if completed.status == "completed" else completed.error or completed.status
    return _complete(state, executive_summary=summary, executive_summary_error=error)


def _begin_planned(state: Investigating, index: int) -> e.StageStarted:
    planned = state.started.chain.stages[index]
    kind = "action" if is_action(planned) else "investigation"
    return begin_stage(state, planned.name, kind, planned.agents, slot=index)


def _begin_report(state: Investigating, last: Stage, agent: ResolvedAgent, index: int) -> e.StageStarted:
    """The amended report: what was found and what was done, in one text. It takes the place of the action's own."""
    name = f"{state.started.chain.stages[index].name} - Amended Report"
    return begin_stage(state, name, "compose", (agent,), slot=index, referenced_stage_id=last.started.stage_id)


def _begin_synthesis(state: Investigating, joined: Stage, planned: ResolvedStage, index: int) -> e.StageStarted:
    agents = () if planned.synthesis is None else (planned.synthesis,)
    id = joined.started.stage_id
    return begin_stage(state, f"{planned.name} - Synthesis", "synthesis", agents, slot=index, referenced_stage_id=id)


def _planned_stage(chain: ResolvedChain, index: int | None) -> ResolvedStage | None:
    return None if index is None or not 0 <= index < len(chain.stages) else chain.stages[index]


def _investigators(chain: ResolvedChain, index: int | None) -> tuple[ResolvedAgent, ...]:
    planned = _planned_stage(chain, index)
    return () if planned is None else planned.agents


def _joiner(chain: ResolvedChain, index: int | None) -> tuple[ResolvedAgent, ...]:
    planned = _planned_stage(chain, index)
    return () if planned is None or planned.synthesis is None else (planned.synthesis,)


def _composer(chain: ResolvedChain, index: int | None) -> tuple[ResolvedAgent, ...]:
    return () if chain.compose is None else (chain.compose,)


def _summariser(chain: ResolvedChain, index: int | None) -> tuple[ResolvedAgent, ...]:
    return () if chain.executive_summary is None else (chain.executive_summary,)


PHASE = Phase(
    name=INVESTIGATION,
    kinds={
        "investigation": StageKind(_investigators, instruct_investigator, compose_investigation),
        "action": StageKind(_investigators, instruct_investigator, compose_action),
        "synthesis": StageKind(_joiner, instruct_joiner, compose_synthesis),
        "compose": StageKind(_composer, instruct_composer, compose_report),
        "exec_summary": StageKind(_summariser, instruct_summariser, compose_summary),
    },
    seconds=lambda limits: limits.session_seconds,
    start=_start,
    follow=_follow,
    end=end_session,
    question_refusal=(400, NOT_ENDED),
    admission="investigation",
    cancels="session",
    cancel_request=e.CANCEL,
)
