"""Summaries of results that are too long for an agent: which it waits for, and which a worker has to make. Pure.

The same text is summarised once in an execution. `same_as` of a request names the earlier call that has it, too. While
the summary of that is being made, the later result waits. Then it takes that, or is asked for itself if that failed.
"""

from collections.abc import Iterator, Mapping, Sequence

from tarsy_contracts import events as e
from tarsy_contracts.token_rates import LEAST_BYTES_PER_TOKEN, kind_of_text
from tarsy_contracts.wire.ids import summary_id
from tarsy_session.state import Execution, Investigating, Summary, ToolCallState
from tarsy_session.summary_outcomes import reuse_summary

type Calls = Mapping[str, ToolCallState]


def next_summaries(state: Investigating, execution: Execution) -> Sequence[e.Event]:
    """Returns what follows for one result of the last turn. The next one may have the same text as this one."""
    calls = execution.turns[-1].calls if execution.turns else ()
    steps = (_next_events(state, execution, state.calls[call_id]) for call_id in calls)
    return next((step for step in steps if step), [])


def is_owed(calls: Calls, summary: Summary) -> bool:
    """Whether a worker has to make it: not while that of an earlier call may stand for it."""
    return summary.ended is None and not _may_stand_whole(calls.get(summary.requested.same_as))


def _next_events(state: Investigating, execution: Execution, call: ToolCallState) -> list[e.Event]:
    if call.summary is None:
        return [_make_request(state, execution, call)] if _is_too_long(state, call, execution) else []
    earlier = state.calls.get(call.summary.requested.same_as)
    if call.summary.ended is None and earlier is not None and earlier.summary is not None:
        summary = earlier.summary.ended
        if isinstance(summary, e.SummaryCompleted) and _may_stand_whole(earlier):
            return [reuse_summary(call, call.summary, summary)]
    return []


def _make_request(state: Investigating, execution: Execution, call: ToolCallState) -> e.SummaryRequested:
    same = (other.requested.call_id for other in _calls_of(state, execution) if _has_summary_for(other, call))
    return e.SummaryRequested(
        summary_id=summary_id(call.requested.call_id),
        call_id=call.requested.call_id,
        execution_id=execution.id,
        timeout_seconds=state.started.chain.limits.summary_seconds,
        same_as=next(same, ""),
        server=call.requested.server,
        tool=call.requested.tool,
        estimated_tokens=round(_estimate_tokens(state, call, execution)),
    )


def _is_too_long(state: Investigating, call: ToolCallState, execution: Execution) -> bool:
    completed = call.completed
    if completed is None or completed.outcome != "ok":
        return False
    rule = execution.summary_rule(call.requested.server)
    if not rule.enabled or completed.size < rule.size_threshold_tokens * LEAST_BYTES_PER_TOKEN:
        return False
    return _estimate_tokens(state, call, execution) > rule.size_threshold_tokens


def _estimate_tokens(state: Investigating, call: ToolCallState, execution: Execution) -> float:
    if call.completed is None:
        return 0.0
    kind = kind_of_text(call.completed.content)
    return state.token_rates.tokens(execution.llm_provider, kind, call.completed.size)


def _calls_of(state: Investigating, execution: Execution) -> Iterator[ToolCallState]:
    return (state.calls[call_id] for turn in execution.turns for call_id in turn.calls)


def _has_summary_for(earlier: ToolCallState, call: ToolCallState) -> bool:
    """A server has rules of its own for its summaries."""
    if earlier.completed is None or call.completed is None or earlier.requested.server != call.requested.server:
        return False
    return _may_stand_whole(earlier) and _is_same_text(earlier.completed, call.completed)


def _may_stand_whole(call: ToolCallState | None) -> bool:
    """Whether its summary may stand for another: it is being made, or whole."""
    if call is None or call.summary is None:
        return False
    ended = call.summary.ended
    return ended is None or (isinstance(ended, e.SummaryCompleted) and not ended.cut)


def _is_same_text(one: e.ToolCallCompleted, other: e.ToolCallCompleted) -> bool:
    """A result of which only the beginning is here is known by its digest. Older gateways make none."""
    if one.size != other.size:
        return False
    if one.stored is not None and other.stored is not None:
        return one.stored.digest == other.stored.digest != ""
    return not one.cut and not other.cut and one.content == other.content
