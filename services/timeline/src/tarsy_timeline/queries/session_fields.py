"""Fields of rows that several REST answers about sessions show, with Go TARSy's keys where we have the thing."""

from collections.abc import Callable
from datetime import datetime, timedelta

from tarsy_contracts.alert import PRIORITIES
from tarsy_contracts.envelope import wire_time
from tarsy_timeline.queries.session_outcome import outcome_of
from tarsy_timeline.rows.cost import Cost
from tarsy_timeline.rows.session_rows import TOKENS, Row

type Fields = dict[str, object]


def overview_fields(row: Row) -> Fields:
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


def session_fields(row: Row) -> Fields:
    return {
        **overview_fields(row),
        "scripted": row["scripted"],
        "started_at": optional_time(row["started_at"]),
        "completed_at": optional_time(row["completed_at"]),
        "duration_ms": duration_ms(row),
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
        "last_alert_at": optional_time(row["last_alert_at"]),
        "parent_id": row["parent_id"],
        "approvals_waiting": row["approvals_waiting"],
        "outcome": outcome_of(row),
        "changed": row["changed"],
        "llm_provider": row["llm_provider"],
        "chain_chosen_by": row["chosen_by"],
        "chain_unmatched": row["unmatched"],
    }


def token_fields(count: Callable[[str], int]) -> dict[str, int]:
    return {**{name: count(name) for name in TOKENS}, "total_tokens": count("input_tokens") + count("output_tokens")}


def cost_fields(cost: Cost) -> Fields:
    return {"cost": cost.amount, "cost_completeness": cost.completeness}


def optional_time(time: datetime | None) -> str | None:
    return None if time is None else wire_time(time)


def duration_ms(row: Row) -> int | None:
    """Milliseconds from start to end; None while it runs."""
    if row["started_at"] is None or row["completed_at"] is None:
        return None
    duration: timedelta = row["completed_at"] - row["started_at"]
    return round(duration.total_seconds() * 1000)
