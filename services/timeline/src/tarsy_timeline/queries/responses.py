"""REST answers made of rows: the models of tarsy_contracts.api, with Go TARSy's keys where we have the thing."""

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

from tarsy_contracts.alert import PRIORITIES
from tarsy_contracts.api.chains import LastEvent
from tarsy_contracts.api.sessions import (
    ActiveSessions,
    FilterOptions,
    ListedSession,
    Pagination,
    QueuedSession,
    RunningSession,
    SessionActivity,
    SessionDetail,
    SessionList,
    SessionStage,
    SessionState,
    StageExecution,
)
from tarsy_contracts.api.timeline import TimelineEvent
from tarsy_contracts.envelope import wire_time
from tarsy_timeline.queries.search_matches import NOWHERE, SessionMatches, matches_by_session
from tarsy_timeline.queries.session_activity import activities_of, activity_of
from tarsy_timeline.queries.session_filter import STATUSES, SessionFilter
from tarsy_timeline.queries.session_outcome import outcome_of
from tarsy_timeline.rows.cost import NO_COST, Cost
from tarsy_timeline.rows.found_call import LOG_OFFSET
from tarsy_timeline.rows.session_rows import TOKENS, ListedRows, Row, SessionRows
from tarsy_timeline.rows.visibility import read_labels

type Fields = dict[str, object]

FAILED = ("failed", "timed_out")


def session_list(wanted: SessionFilter, listed: ListedRows) -> SessionList:
    """Looks for what was searched in all texts of `matches`, which may be long."""
    pagination = Pagination(
        page=wanted.page,
        page_size=wanted.page_size,
        total_pages=math.ceil(listed.count / wanted.page_size),
        total_items=listed.count,
    )
    found = matches_by_session(wanted.terms, listed.matches)
    running = activities_of(listed.sessions, listed.running)
    return SessionList(
        sessions=tuple(
            _listed_session(
                row,
                found.get(row["session_id"], NOWHERE),
                running.get(row["session_id"]),
                listed.costs.get(row["session_id"], NO_COST),
            )
            for row in listed.sessions
        ),
        pagination=pagination,
    )


def active_sessions(running: Sequence[Row], queued: Sequence[Row]) -> ActiveSessions:
    return ActiveSessions(active=tuple(map(_running_session, running)), queued=tuple(map(_queued_session, queued)))


def filter_options(found: Mapping[str, Sequence[str]]) -> FilterOptions:
    """`found`: values of each field of the answer but `statuses`."""
    return FilterOptions.model_validate(
        {**{name: tuple(values) for name, values in found.items()}, "statuses": STATUSES}
    )


def session_detail(rows: SessionRows) -> SessionDetail:
    """The calls that run are enough of the timeline."""
    row, stages, executions = rows.session, rows.stages, rows.executions

    def total(name: str) -> int:
        return sum(execution[name] for execution in executions)

    current = stages[-1] if stages else None
    investigated = [stage for stage in stages if stage["stage_type"] != "chat"]
    return SessionDetail.model_validate(
        {
            **_session(row),
            "alert_data": row["alert_data"],
            "labels": read_labels(row["labels"]),
            "final_analysis": row["final_analysis"],
            "runbook_url": row["runbook_url"],
            "mcp_selection": row["mcp_selection"],
            "slack_message_fingerprint": row["slack_message_fingerprint"],
            "chat_enabled": row["chat_enabled"],
            "details_deleted_at": _time(row["details_deleted_at"]),
            "chat_id": row["chat_id"],
            "reruns": row["reruns"],
            "llm_interaction_count": total("llm_interaction_count"),
            "mcp_interaction_count": total("mcp_interaction_count"),
            **_tokens(total),
            "provider_fallback_count": total("fallback_count"),
            "models": tuple(sorted({one["model_name"] for one in executions if one["model_name"] is not None})),
            "now": activity_of(row, stages, executions, rows.timeline),
            **_cost(rows.cost),
            "completed_stages": sum(stage["status"] == "completed" for stage in investigated),
            "failed_stages": sum(stage["status"] in FAILED for stage in investigated),
            "current_stage_index": current and current["stage_index"],
            "current_stage_id": current and current["stage_id"],
            "stages": tuple(_stage(stage, executions) for stage in stages),
        }
    )


def session_state(row: Row) -> SessionState:
    return SessionState(
        id=row["session_id"],
        status=row["status"],
        final_analysis=row["final_analysis"],
        executive_summary=row["executive_summary"],
        error_message=row["error_message"],
        queue_position=row["queue_position"],
        last_number=row["last_number"],
        partial_reason=row["partial_reason"],
    )


def timeline_event(row: Row) -> TimelineEvent:
    return TimelineEvent(
        id=row["event_id"],
        session_id=row["session_id"],
        stage_id=row["stage_id"],
        execution_id=row["execution_id"],
        sequence_number=row["sequence_number"],
        event_type=row["event_type"],
        status=row["status"],
        content=row["content"],
        metadata={name: value for name, value in row["metadata"].items() if name != LOG_OFFSET},
        created_at=wire_time(row["created_at"]),
        updated_at=wire_time(row["updated_at"]),
        number=row["number"],
    )


def last_event(row: Row) -> LastEvent:
    return LastEvent(
        session_id=row["session_id"],
        partition=row["partition"],
        event_id=row["last_event_id"],
        number=row["last_number"],
    )


def _listed_session(row: Row, found: SessionMatches, now: SessionActivity | None, cost: Cost) -> ListedSession:
    return ListedSession.model_validate(
        {
            **_session(row),
            "llm_interaction_count": row["llm_interaction_count"],
            "mcp_interaction_count": row["mcp_interaction_count"],
            **_tokens(row.__getitem__),
            "matched_in_content": found.in_content,
            "highlights": found.highlights,
            "provider_fallback_count": row["provider_fallback_count"],
            "models": tuple(row["models"]),
            "now": now,
            **_cost(cost),
            "completed_stages": row["completed_stages"],
            "failed_stages": row["failed_stages"],
            "current_stage_index": row["current_stage_index"],
            "current_stage_id": row["current_stage_id"],
        }
    )


def _tokens(count: Callable[[str], int]) -> dict[str, int]:
    return {**{name: count(name) for name in TOKENS}, "total_tokens": count("input_tokens") + count("output_tokens")}


def _cost(cost: Cost) -> Fields:
    return {"cost": cost.amount, "cost_completeness": cost.completeness}


def _running_session(row: Row) -> RunningSession:
    return RunningSession.model_validate(
        {
            **_overview(row),
            "started_at": _time(row["started_at"]),
            "current_stage_index": row["current_stage_index"],
            "current_stage_id": row["current_stage_id"],
        }
    )


def _queued_session(row: Row) -> QueuedSession:
    return QueuedSession.model_validate({**_overview(row), "queue_position": row["queue_position"]})


def _overview(row: Row) -> Fields:
    return {
        "id": row["session_id"],
        "alert_type": row["alert_type"],
        "title": row["title"],
        "severity": row["severity"],
        "cluster": row["cluster"],
        "namespace": row["namespace"],
        "workload": row["workload"],
        "source": row["source"],
        "chain_id": row["chain_id"],
        "status": row["status"],
        "author": row["author"],
        "priority": PRIORITIES[row["priority"]],
        "created_at": wire_time(row["created_at"]),
        "last_number": row["last_number"],
    }


def _session(row: Row) -> Fields:
    return {
        **_overview(row),
        "scripted": row["scripted"],
        "started_at": _time(row["started_at"]),
        "completed_at": _time(row["completed_at"]),
        "duration_ms": _duration(row),
        "queue_position": row["queue_position"],
        "error_message": row["error_message"],
        "executive_summary": row["executive_summary"],
        "executive_summary_error": row["executive_summary_error"],
        "partial_reason": row["partial_reason"],
        "evidence_limits": tuple(row["evidence_limits"]),
        "total_stages": row["total_stages"],
        "has_parallel_stages": row["has_parallel_stages"],
        "chat_message_count": row["chat_message_count"],
        "repeat_count": row["repeat_count"],
        "last_alert_at": _time(row["last_alert_at"]),
        "parent_id": row["parent_id"],
        "approvals_waiting": row["approvals_waiting"],
        "outcome": outcome_of(row),
        "changed": row["changed"],
        "llm_provider": row["llm_provider"],
        "chain_chosen_by": row["chosen_by"],
        "chain_unmatched": row["unmatched"],
    }


def _stage(stage: Row, executions: Sequence[Row]) -> SessionStage:
    return SessionStage(
        id=stage["stage_id"],
        stage_name=stage["stage_name"],
        stage_index=stage["stage_index"],
        stage_type=stage["stage_type"],
        chain_stage=stage["chain_stage"],
        status=stage["status"],
        error_message=stage["error_message"],
        expected_agent_count=stage["expected_agent_count"],
        parallel_type=stage["parallel_type"],
        success_policy=stage["success_policy"],
        referenced_stage_id=stage["referenced_stage_id"],
        started_at=wire_time(stage["started_at"]),
        completed_at=_time(stage["completed_at"]),
        duration_ms=_duration(stage),
        number=stage["number"],
        executions=tuple(_execution(row) for row in executions if row["stage_id"] == stage["stage_id"]),
    )


def _execution(row: Row) -> StageExecution:
    return StageExecution(
        execution_id=row["execution_id"],
        agent_name=row["agent_name"],
        agent_index=row["agent_index"],
        status=row["status"],
        error_message=row["error_message"],
        llm_provider=row["llm_provider"],
        original_llm_provider=row["original_llm_provider"],
        fallback_reason=row["fallback_reason"],
        fallback_error_code=row["fallback_error_code"],
        fallback_attempt=row["fallback_count"] or None,
        model_name=row["model_name"],
        controller=row["controller"],
        max_iterations=row["max_iterations"],
        iterations=row["iterations"],
        forced_conclusion=row["forced_conclusion"],
        partial_reason=row["partial_reason"],
        llm_interaction_count=row["llm_interaction_count"],
        mcp_interaction_count=row["mcp_interaction_count"],
        input_tokens=row["input_tokens"],
        output_tokens=row["output_tokens"],
        thinking_tokens=row["thinking_tokens"],
        cached_input_tokens=row["cached_input_tokens"],
        cache_written_tokens=row["cache_written_tokens"],
        total_tokens=row["input_tokens"] + row["output_tokens"],
        started_at=wire_time(row["started_at"]),
        completed_at=_time(row["completed_at"]),
        duration_ms=_duration(row),
        number=row["number"],
    )


def _time(time: datetime | None) -> str | None:
    return None if time is None else wire_time(time)


def _duration(row: Row) -> int | None:
    """Milliseconds from start to end; None while it runs."""
    if row["started_at"] is None or row["completed_at"] is None:
        return None
    duration: timedelta = row["completed_at"] - row["started_at"]
    return round(duration.total_seconds() * 1000)
