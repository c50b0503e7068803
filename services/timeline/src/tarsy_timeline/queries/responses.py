"""REST answers about one session, made of rows, with Go TARSy's keys where we have the thing."""

from collections.abc import Sequence

from tarsy_contracts.api.chains import LastEvent
from tarsy_contracts.api.sessions import SessionDetail, SessionStage, SessionState, StageExecution
from tarsy_contracts.api.timeline import TimelineEvent
from tarsy_contracts.chain import STAGES_AFTER_THE_END
from tarsy_contracts.envelope import wire_time
from tarsy_timeline.queries.session_activity import activity_of
from tarsy_timeline.queries.session_fields import cost_fields, duration_ms, optional_time, session_fields, token_fields
from tarsy_timeline.rows.found_call import LOG_OFFSET
from tarsy_timeline.rows.session_rows import Row, SessionRows
from tarsy_timeline.rows.visibility import read_labels

FAILED = ("failed", "timed_out")


def session_detail(rows: SessionRows) -> SessionDetail:
    """The calls that run are enough of the timeline."""
    row, stages, executions = rows.session, rows.stages, rows.executions

    def total(name: str) -> int:
        return sum(execution[name] for execution in executions)

    current = stages[-1] if stages else None
    investigated = [stage for stage in stages if stage["stage_type"] not in STAGES_AFTER_THE_END]
    return SessionDetail.model_validate(
        {
            **session_fields(row),
            "alert_data": row["alert_data"],
            "labels": read_labels(row["labels"]),
            "final_analysis": row["final_analysis"],
            "runbook_url": row["runbook_url"],
            "mcp_selection": row["mcp_selection"],
            "slack_message_fingerprint": row["slack_message_fingerprint"],
            "chat_enabled": row["chat_enabled"],
            "details_deleted_at": optional_time(row["details_deleted_at"]),
            "chat_id": row["chat_id"],
            "reruns": row["reruns"],
            "llm_interaction_count": total("llm_interaction_count"),
            "mcp_interaction_count": total("mcp_interaction_count"),
            **token_fields(total),
            "provider_fallback_count": total("fallback_count"),
            "models": tuple(sorted({one["model_name"] for one in executions if one["model_name"] is not None})),
            "now": activity_of(row, stages, executions, rows.timeline),
            **cost_fields(rows.cost),
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
        completed_at=optional_time(stage["completed_at"]),
        duration_ms=duration_ms(stage),
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
        completed_at=optional_time(row["completed_at"]),
        duration_ms=duration_ms(row),
        number=row["number"],
    )
