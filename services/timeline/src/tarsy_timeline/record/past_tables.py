"""The tables of one session in memory: what queries.sql makes of the statements of a projection. Pure.

A test compares both after every event of whole sessions.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tarsy_contracts.numbers import LARGEST_COUNT
from tarsy_timeline.database.sql import QUERIES, replaced_columns, written_columns
from tarsy_timeline.rows.session_rows import TOKENS

type Fields = dict[str, Any]
type Table = dict[str, Fields]

NEW_SESSION: Fields = {
    "status": "pending", "alert_type": "", "title": "", "severity": None, "source": "", "author": "",
    "runbook_url": None, "chain_id": "", "alert_data": "", "scripted": False, "started_at": None,
    "completed_at": None, "final_analysis": None, "error_message": None, "priority": 2, "mcp_selection": None,
    "total_stages": 0, "has_parallel_stages": False, "executive_summary": None, "executive_summary_error": None,
    "chat_enabled": True, "chat_id": None, "chat_message_count": 0, "details_deleted_at": None, "cluster": None,
    "namespace": None, "workload": None, "repeat_count": 0, "last_alert_at": None, "parent_id": None,
    "llm_provider": None, "slack_message_fingerprint": None, "changed": 0, "labels": [],
    "partial_reason": None,
    "evidence_limits": [],
    "chosen_by": "", "unmatched": False,
    "queue_position": None, "reruns": [],
}  # fmt: skip
"""Columns of `sessions`; and those of `read_session` that other sessions decide, which the log of this one has not."""
NEW_STAGE: Fields = {
    "stage_type": "investigation", "chain_stage": None, "expected_agent_count": 1, "parallel_type": None,
    "success_policy": None, "referenced_stage_id": None,
}  # fmt: skip
NEW_EXECUTION: Fields = {
    "model_name": None, "llm_interaction_count": 0, "mcp_interaction_count": 0, "llm_provider": None,
    "original_llm_provider": None,
    "fallback_reason": None, "fallback_error_code": None, "fallback_count": 0, "controller": "function_calling",
    "max_iterations": None, "iterations": 0, "forced_conclusion": False, "iteration": None, "asked_at": None,
    "partial_reason": None,
    **dict.fromkeys(TOKENS, 0),
}  # fmt: skip

INSERTS = ("change_stage", "change_execution", "create_timeline_event")
UPDATES = ("start_session", "plan_stage", "plan_execution", "ask_model", "end_execution")
WRITTEN = {name: written_columns(QUERIES[name]) for name in (*INSERTS, *UPDATES)}
REPLACED = {name: replaced_columns(QUERIES[name]) for name in INSERTS}
"""The statements below that have no line here compute something: they are written twice, in SQL and in Python."""


@dataclass(slots=True)
class PastTables:
    session: Fields
    stages: Table = field(default_factory=dict)
    executions: Table = field(default_factory=dict)
    timeline: Table = field(default_factory=dict)
    usage: Table = field(default_factory=dict)


def start_session(tables: PastTables, *values: object) -> None:
    tables.session |= _row("start_session", values)


def change_session(
    tables: PastTables,
    _id: str,
    status: str,
    analysis: object,
    error: object,
    summary: object,
    why: object,
    began: object,
    ended: object,
    partial: object,
    limits: object,
) -> None:
    session = tables.session
    session |= {
        "status": status,
        "final_analysis": session["final_analysis"] if analysis is None else analysis,
        "error_message": error,
        "executive_summary": session["executive_summary"] if summary is None else summary,
        "executive_summary_error": why,
        "started_at": session["started_at"] or began,
        "completed_at": ended,
        "partial_reason": partial,
        "evidence_limits": limits,
    }


def count_alerts(tables: PastTables, _id: str, count: int, total: int, at: object) -> None:
    session = tables.session
    session |= {"repeat_count": max(session["repeat_count"] + count, total), "last_alert_at": at}


def create_chat(tables: PastTables, _id: str, chat_id: str) -> None:
    tables.session["chat_id"] = chat_id


def count_chat_message(tables: PastTables, _id: str) -> None:
    tables.session["chat_message_count"] += 1


def count_change(tables: PastTables, _id: str, event_id: str) -> None:
    call = tables.timeline.get(event_id)
    if call is None:
        return
    read_only = call["metadata"].get("read_only")
    harmless = call["metadata"].get("repeatable", True) if read_only is None else read_only
    tables.session["changed"] += not harmless


def change_stage(tables: PastTables, *values: object) -> None:
    _insert(tables.stages, "change_stage", values, NEW_STAGE)


def plan_stage(tables: PastTables, *values: object) -> None:
    _update(tables.stages, "plan_stage", values)


def change_execution(tables: PastTables, *values: object) -> None:
    _insert(tables.executions, "change_execution", values, NEW_EXECUTION)


def plan_execution(tables: PastTables, *values: object) -> None:
    _update(tables.executions, "plan_execution", values)


def fall_back(
    tables: PastTables, execution_id: str, before: str, after: str, error: str, kind: str, number: int
) -> None:
    known = tables.executions.get(execution_id)
    if known is not None:
        original = known["original_llm_provider"]
        known |= {"original_llm_provider": before if original is None else original, "llm_provider": after}
        known |= {"fallback_reason": error, "fallback_error_code": kind, "fallback_count": known["fallback_count"] + 1}
        known["number"] = max(known["number"], number)


def ask_model(tables: PastTables, *values: object) -> None:
    _update(tables.executions, "ask_model", values)


def end_execution(tables: PastTables, *values: object) -> None:
    _update(tables.executions, "end_execution", values)


def count_llm_calls(tables: PastTables, execution_id: str, calls: int, *counted: Any) -> None:
    known = tables.executions.get(execution_id)
    if known is not None:
        *tokens, model = counted
        known["llm_interaction_count"] += calls
        _add_tokens(known, tokens)
        known["model_name"] = known["model_name"] if model is None else model


def count_usage(tables: PastTables, _id: str, _day: object, model: str, _calls: int, *tokens: int) -> None:
    _add_tokens(tables.usage.setdefault(model, {"model": model, **dict.fromkeys(TOKENS, 0)}), tokens)


def count_tool_call(tables: PastTables, execution_id: str) -> None:
    known = tables.executions.get(execution_id)
    if known is not None:
        known["mcp_interaction_count"] += 1


def create_timeline_event(tables: PastTables, *values: object) -> None:
    _insert(tables.timeline, "create_timeline_event", values, {})


def end_timeline_event(
    tables: PastTables, event_id: str, status: str, content: str, metadata: Fields, at: object, number: int
) -> None:
    known = tables.timeline.get(event_id)
    if known is not None:
        known |= {"status": status, "content": content, "metadata": known["metadata"] | metadata}
        known |= {"updated_at": at, "number": number}


def _add_tokens(row: Fields, tokens: Iterable[int]) -> None:
    row |= {name: min(row[name] + more, LARGEST_COUNT) for name, more in zip(TOKENS, tokens, strict=True)}


def _row(statement: str, values: Sequence[Any]) -> Fields:
    return {column: values[place] for column, place in WRITTEN[statement].items()}


def _insert(table: Table, statement: str, values: Sequence[Any], unset: Fields) -> None:
    """Some columns are replaced where the row is there. Its key is the first argument."""
    new = _row(statement, values)
    known = table.setdefault(values[0], {**unset, **new})
    known |= {name: new[name] for name in REPLACED[statement]}


def _update(table: Table, statement: str, values: Sequence[Any]) -> None:
    if values[0] in table:
        table[values[0]] |= _row(statement, values)


def _change_nothing(_tables: PastTables, *_values: object) -> None:
    """No row of it is shown."""


STATEMENTS: dict[str, Callable[..., None]] = {
    **{
        change.__name__: change
        for change in (
            start_session, change_session, count_alerts, create_chat, count_chat_message, count_change, change_stage,
            plan_stage, change_execution, plan_execution, fall_back, ask_model, end_execution, count_llm_calls,
            count_usage, count_tool_call, create_timeline_event, end_timeline_event,
        )
    },
    "add_alias": _change_nothing,
    "delete_session": _change_nothing,
}  # fmt: skip
