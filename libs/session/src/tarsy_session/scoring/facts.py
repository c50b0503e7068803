"""Facts of an investigation that its judge is given, computed from the record. Pure."""

import json
from collections.abc import Iterator, Sequence

from tarsy_contracts import events as e
from tarsy_contracts.builtin_tools import OWN_SERVER
from tarsy_contracts.citations import list_cited_calls
from tarsy_contracts.confidence import read_confidence
from tarsy_contracts.scores import ScoreFacts
from tarsy_session.state import Execution, Investigating, ToolCallState
from tarsy_session.state_queries import final_analysis, select_investigation_stages

FAILED = frozenset({"tool_error", "unavailable"})
MOST_NAMED = 50
"""Limit of names and numbers in one list."""


def find_facts(state: Investigating) -> ScoreFacts:
    """Tools of our own are not among those that were offered."""
    executions = _list_executions(state)
    calls = _list_calls(state, executions)
    outcomes = [call.completed.outcome for call in calls if call.completed is not None]
    cited = set(list_cited_calls(final_analysis(state)))
    numbers = {call.requested.number for call in calls}
    offered = {f"{tool.server}.{tool.tool}" for one in executions for tool in one.tools if tool.server != OWN_SERVER}
    used = {f"{call.requested.server}.{call.requested.tool}" for call in calls}
    ended = state.ended if isinstance(state.ended, e.SessionCompleted) else None
    return ScoreFacts(
        calls=len(calls),
        failed_calls=sum(outcome in FAILED for outcome in outcomes),
        denied_calls=outcomes.count("rejected"),
        unknown_calls=outcomes.count("unknown"),
        repeated_calls=len(calls) - len({_identity(call) for call in calls}),
        cited_calls=len(cited & numbers),
        unknown_citations=tuple(sorted(cited - numbers)[:MOST_NAMED]),
        tools_offered=len(offered),
        tools_never_used=tuple(sorted(offered - used)[:MOST_NAMED]),
        iterations=sum(len(one.turns) for one in executions),
        partial_reason="" if ended is None else ended.partial_reason,
        budget_used_up=any(known.reached is not None for known in state.budgets.met.values()),
        unavailable=0 if ended is None else len(ended.evidence_limits),
        confidence=read_confidence(final_analysis(state)) or "",
    )


def list_known_calls(state: Investigating) -> frozenset[int]:
    """The numbers of the investigation's calls."""
    return frozenset(call.requested.number for call in _list_calls(state, _list_executions(state)))


def find_known_tags(facts: ScoreFacts) -> Iterator[str]:
    """Tags that follow from the record alone."""
    if facts.calls and not facts.cited_calls:
        yield "evidence_not_cited"
    if facts.unknown_citations:
        yield "hallucinated_evidence"
    if facts.repeated_calls > facts.calls // 2:
        yield "budget_wasted"


def _list_executions(state: Investigating) -> list[Execution]:
    return [one for stage in select_investigation_stages(state) for one in state.all_executions_of(stage)]


def _list_calls(state: Investigating, executions: Sequence[Execution]) -> list[ToolCallState]:
    ids = {one.id for one in executions}
    return [call for call in state.calls.values() if call.requested.execution_id in ids]


def _identity(call: ToolCallState) -> str:
    requested = call.requested
    return json.dumps([requested.server, requested.tool, dict(requested.arguments)], sort_keys=True, default=str)
