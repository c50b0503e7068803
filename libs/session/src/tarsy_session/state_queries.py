"""Queries of a session's state that need more than one of its parts. Pure."""

from collections.abc import Iterator, Mapping, Sequence

from tarsy_contracts.chain import ResolvedAgent, ResolvedChain, ResolvedStage
from tarsy_session.executions.accounts import is_covered
from tarsy_session.executions.children import waits_for_children
from tarsy_session.state import INVESTIGATION, AtRest, Execution, Investigating, Stage, ToolCallState
from tarsy_session.text import shorten

MOST_REASONS = 2_000
"""Characters of all reasons why an analysis is partial."""


def call_of_summary(calls: Mapping[str, ToolCallState], summary_id: str) -> ToolCallState | None:
    """The call whose summary has this id."""
    for call in calls.values():
        if call.summary is not None and call.summary.requested.summary_id == summary_id:
            return call
    return None


def next_call_number(state: Investigating) -> int:
    """The number by which agents cite the next call of the session."""
    return max((call.requested.number for call in state.calls.values()), default=0) + 1


def calls_waiting_for_person(state: Investigating) -> Iterator[ToolCallState]:
    return (call for call in state.calls.values() if call.waits_for_person)


def waits_for_person(state: Investigating, execution: Execution) -> bool:
    """Whether a call of its last turn waits for a person, or its next question for somebody who extends a budget."""
    last = [state.calls[id] for id in execution.turns[-1].calls] if execution.open and execution.turns else []
    return any(call.waits_for_person for call in last) or _waits_for_budget(state, execution, last)


def _waits_for_budget(state: Investigating, execution: Execution, last: Sequence[ToolCallState]) -> bool:
    if not execution.open or execution.waiting_for is not None or waits_for_children(state, execution):
        return False
    waiting = [id for id, known in state.budgets.met.items() if known.waits_for_person]
    ready = all(call.result_ready for call in last)
    return bool(waiting) and ready and any(is_covered(state, execution, id) for id in waiting)


def only_waits_for_people(state: Investigating) -> bool:
    """Whether none of its agents can go on before a person has decided."""
    stage = state.stage
    if stage is None or state.cancelled is not None or state.life.waiting_since is None:
        return False
    open_ones = [one for one in state.all_executions_of(stage) if one.open]
    return all(waits_for_person(state, one) or waits_for_children(state, one) for one in open_ones)


def chat_agent(chain: ResolvedChain) -> ResolvedAgent:
    """Plans of before chat name nobody: their first agent answers then, with the servers of all."""
    if chain.chat is not None:
        return chain.chat
    servers = {server.server: server for agent in chain.agents() for server in agent.servers}
    first = chain.stages[0].agents[0]
    return first.model_copy(update={"custom_instructions": "", "servers": tuple(servers.values())})


def is_action(stage: ResolvedStage) -> bool:
    """Whether all of its agents may act."""
    return all(agent.action for agent in stage.agents)


def is_last_action(chain: ResolvedChain, index: int) -> bool:
    acting = [is_action(stage) for stage in chain.stages[index:]]
    return acting[:1] == [True] and not any(acting[1:])


def final_analysis(state: Investigating) -> str:
    """The analysis of the last stage that came to one. Without its amended report it is what that was to be made of."""
    last = _analysing_stages(state)[-1:]
    if last and last[0].started.stage_type == "compose" and not analysis_of(state, last[0].executions):
        return join_reports(state)
    found = (analysis_of(state, stage.executions) for stage in reversed(_analysing_stages(state)))
    return next((analysis for analysis in found if analysis), "")


def join_reports(state: Investigating) -> str:
    """The last analysis, and behind it the report of the last stage that acted."""
    stages = _analysing_stages(state)
    acting = {stage.started.stage_id for stage in stages if stage.started.stage_type == "action"}
    acted = [one for one in stages if not acting.isdisjoint({one.started.stage_id, one.started.referenced_stage_id})]
    found = [text for one in stages if one not in acted and (text := analysis_of(state, one.executions))]
    done = [text for one in acted if (text := analysis_of(state, one.executions))]
    return "\n\n".join([*found[-1:], *(f"## What was done\n\n{text}" for text in done[-1:])])


def partial_reason(state: Investigating) -> str:
    """Why the analysis is less than whole; empty where each agent of the investigation concluded itself."""
    stages = _analysing_stages(state)
    ended = [one.completed for stage in stages for one in state.executions_of(stage) if one.completed is not None]
    if len(ended) == 1:
        return ended[0].partial_reason
    return shorten("; ".join(f"{one.agent}: {one.partial_reason}" for one in ended if one.partial_reason), MOST_REASONS)


def select_investigation_stages(state: Investigating) -> list[Stage]:
    """Those of the investigation, and of no later phase."""
    return [stage for stage in state.stages if stage.phase == INVESTIGATION]


def _analysing_stages(state: Investigating) -> list[Stage]:
    return [stage for stage in select_investigation_stages(state) if stage.started.stage_type != "exec_summary"]


def analysis_of(state: Investigating, executions: Sequence[str]) -> str:
    """The analyses of these executions; several are told apart by the agents' names."""
    ended = [state.executions[id].completed for id in executions]
    found = [(one.agent, one.final_analysis) for one in ended if one is not None and one.final_analysis]
    if len(found) == 1:
        return found[0][1]
    return "\n\n".join(f"## {agent}\n\n{analysis}" for agent, analysis in found)


def have_own_calls_ended(state: Investigating) -> bool:
    """Whether nothing is missing that the session itself has called for, such as the runbook."""
    return not any(call.open for call in state.calls.values() if not call.requested.execution_id)


def has_loose_ends(state: AtRest) -> bool:
    """A session that an operator ended may still have open parts; they would go on in a next life."""
    return (
        any(stage.open for stage in state.stages)
        or any(execution.open for execution in state.executions.values())
        or any(not call.result_ready for call in state.calls.values())
    )
