"""Rows as JSON answers, with Go TARSy's keys where we have the thing."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import asyncpg

from tarsy_contracts.envelope import wire_time

type Row = asyncpg.Record
type Shape = dict[str, object]

FAILED = ("failed", "timed_out")


def session_item(row: Row) -> Shape:
    """One line of the list."""
    return {
        **_session(row),
        "llm_interaction_count": row["llm_interaction_count"],
        "mcp_interaction_count": row["mcp_interaction_count"],
        "input_tokens": row["input_tokens"],
        "output_tokens": row["output_tokens"],
        "total_tokens": row["input_tokens"] + row["output_tokens"],
        "completed_stages": row["completed_stages"],
        "failed_stages": row["failed_stages"],
        "current_stage_index": row["current_stage_index"],
        "current_stage_id": row["current_stage_id"],
    }


def session_detail(row: Row, stages: Sequence[Row], executions: Sequence[Row]) -> Shape:
    def total(name: str) -> int:
        return sum(execution[name] for execution in executions)

    current = stages[-1] if stages else None
    return {
        **_session(row),
        "alert_data": row["alert_data"],
        "final_analysis": row["final_analysis"],
        "runbook_url": row["runbook_url"],
        "llm_interaction_count": total("llm_interaction_count"),
        "mcp_interaction_count": total("mcp_interaction_count"),
        "input_tokens": total("input_tokens"),
        "output_tokens": total("output_tokens"),
        "total_tokens": total("input_tokens") + total("output_tokens"),
        "completed_stages": sum(stage["status"] == "completed" for stage in stages),
        "failed_stages": sum(stage["status"] in FAILED for stage in stages),
        "current_stage_index": current and current["stage_index"],
        "current_stage_id": current and current["stage_id"],
        "stages": [_stage(row, stage, executions) for stage in stages],
    }


def session_status(row: Row) -> Shape:
    return {
        "id": row["session_id"],
        "status": row["status"],
        "final_analysis": row["final_analysis"],
        "error_message": row["error_message"],
        "last_number": row["last_number"],
    }


def timeline_event(row: Row) -> Shape:
    return {
        "id": row["event_id"],
        "session_id": row["session_id"],
        "stage_id": row["stage_id"],
        "execution_id": row["execution_id"],
        "sequence_number": row["sequence_number"],
        "event_type": row["event_type"],
        "status": row["status"],
        "content": row["content"],
        "metadata": row["metadata"],
        "created_at": wire_time(row["created_at"]),
        "updated_at": wire_time(row["updated_at"]),
        "number": row["number"],
    }


def chain(row: Row) -> Shape:
    """The last accepted event of a session."""
    return {
        "session_id": row["session_id"],
        "partition": row["partition"],
        "event_id": row["last_event_id"],
        "number": row["last_number"],
    }


def _session(row: Row) -> Shape:
    plan = row["plan"]
    return {
        "id": row["session_id"],
        "alert_type": row["alert_type"],
        "title": row["title"],
        "severity": row["severity"],
        "source": row["source"],
        "chain_id": row["chain_id"],
        "status": row["status"],
        "author": row["author"],
        "scripted": row["scripted"],
        "created_at": wire_time(row["created_at"]),
        "started_at": _time(row["started_at"]),
        "completed_at": _time(row["completed_at"]),
        "duration_ms": _duration(row),
        "error_message": row["error_message"],
        "total_stages": len(plan),
        "has_parallel_stages": any(len(stage["agents"]) > 1 for stage in plan),
        "last_number": row["last_number"],
    }


def _stage(session: Row, stage: Row, executions: Sequence[Row]) -> Shape:
    plan, index = session["plan"], stage["stage_index"]
    agents = plan[index]["agents"] if index < len(plan) else []
    return {
        "id": stage["stage_id"],
        "stage_name": stage["stage_name"],
        "stage_index": index,
        "status": stage["status"],
        "error_message": stage["error_message"],
        "expected_agent_count": len(agents),
        "started_at": wire_time(stage["started_at"]),
        "completed_at": _time(stage["completed_at"]),
        "number": stage["number"],
        "executions": [_execution(row, agents) for row in executions if row["stage_id"] == stage["stage_id"]],
    }


def _execution(row: Row, agents: Sequence[Mapping[str, str]]) -> Shape:
    index = row["agent_index"]
    return {
        "execution_id": row["execution_id"],
        "agent_name": row["agent_name"],
        "agent_index": index,
        "status": row["status"],
        "error_message": row["error_message"],
        "llm_provider": agents[index]["llm_provider"] if index < len(agents) else None,
        "model_name": row["model_name"],
        "llm_interaction_count": row["llm_interaction_count"],
        "mcp_interaction_count": row["mcp_interaction_count"],
        "input_tokens": row["input_tokens"],
        "output_tokens": row["output_tokens"],
        "total_tokens": row["input_tokens"] + row["output_tokens"],
        "started_at": wire_time(row["started_at"]),
        "completed_at": _time(row["completed_at"]),
        "duration_ms": _duration(row),
        "number": row["number"],
    }


def _time(time: datetime | None) -> str | None:
    return None if time is None else wire_time(time)


def _duration(row: Row) -> int | None:
    """Milliseconds from start to end; None while it runs."""
    if row["started_at"] is None or row["completed_at"] is None:
        return None
    duration: timedelta = row["completed_at"] - row["started_at"]
    return round(duration.total_seconds() * 1000)
