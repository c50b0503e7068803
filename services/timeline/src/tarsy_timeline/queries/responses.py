"""REST answers about one session, made of rows, with Go TARSy's keys where we have the thing."""

from collections.abc import Sequence

from pydantic import JsonValue

from tarsy_contracts.api.chains import LastEvent
from tarsy_contracts.api.sessions import SessionDetail, SessionStage, SessionState, StageExecution
from tarsy_contracts.api.timeline import TimelineEvent
from tarsy_contracts.chain import STAGES_AFTER_THE_END
from tarsy_contracts.events.execution import to_facts
from tarsy_contracts.timeline.changes import NATIVE_EVENT_TYPES
from tarsy_contracts.wire.envelope import wire_time
from tarsy_timeline.queries.session_activity import activity_of
from tarsy_timeline.queries.session_fields import (
    action_fields,
    column_fields,
    cost_fields,
    duration_ms,
    overview_fields,
    session_fields,
    token_fields,
)
from tarsy_timeline.rows.execution_facts import outcome_of, spec_of
from tarsy_timeline.rows.found_result import LOG_OFFSET
from tarsy_timeline.rows.session_rows import Row, SessionRows
from tarsy_timeline.rows.visibility import read_labels

FAILED = ("failed", "timed_out")
NATIVE_TYPES = frozenset({*NATIVE_EVENT_TYPES.values(), "native_tool"})


def session_detail(rows: SessionRows) -> SessionDetail:
    """The calls that run, and those of models' own tools, are enough of the timeline."""
    row, stages, executions = rows.session, rows.stages, rows.executions

    def total(name: str) -> int:
        return sum(execution[name] for execution in executions)

    current = stages[-1] if stages else None
    investigated = [stage for stage in stages if stage["stage_type"] not in STAGES_AFTER_THE_END]
    return SessionDetail.model_validate(
        {
            **session_fields(row),
            "labels": read_labels(row["labels"]),
            "llm_interaction_count": total("llm_interaction_count"),
            "mcp_interaction_count": total("mcp_interaction_count"),
            **token_fields(total),
            "provider_fallback_count": total("fallback_count"),
            "models": tuple(sorted({one["model_name"] for one in executions if one["model_name"] is not None})),
            "has_sub_agents": any(map(_was_sent, executions)),
            "now": activity_of(row, stages, executions, rows.timeline),
            **cost_fields(rows.cost),
            "completed_stages": sum(stage["status"] == "completed" for stage in investigated),
            "failed_stages": sum(stage["status"] in FAILED for stage in investigated),
            "current_stage_index": current and current["stage_index"],
            "current_stage_id": current and current["stage_id"],
            "sources": list_sources(rows.timeline),
            "stages": tuple(_stage(stage, executions) for stage in stages),
            **action_fields(sum(stage["stage_type"] == "action" for stage in stages), _verdicts(stages)),
        }
    )


def list_sources(timeline: Sequence[Row]) -> list[JsonValue]:
    """Those that have a number, in the order of their numbers: the first page of a number keeps it."""
    found: dict[int, JsonValue] = {}
    for row in timeline:
        for source in row["metadata"].get("sources") or () if row["event_type"] in NATIVE_TYPES else ():
            if source["number"]:
                found.setdefault(source["number"], source)
    return [found[number] for number in sorted(found)]


def _verdicts(stages: Sequence[Row]) -> list[str]:
    return [stage["action"]["verdict"] for stage in stages if stage["action"] is not None]


def session_state(row: Row) -> SessionState:
    return SessionState.model_validate(overview_fields(row))


def timeline_event(row: Row) -> TimelineEvent:
    """Field by field, as answers have thousands of them."""
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
    return SessionStage.model_validate(
        {
            **column_fields(stage),
            "id": stage["stage_id"],
            "duration_ms": duration_ms(stage),
            "actions_executed": None if (action := stage["action"]) is None else action["verdict"] == "acted",
            "executions": tuple(_execution(row) for row in executions if row["stage_id"] == stage["stage_id"]),
        }
    )


def _was_sent(execution: Row) -> bool:
    """Whether it is a sub-agent. An execution from before their facts were recorded is none."""
    spec = spec_of(execution)
    return spec is not None and bool(spec.parent_execution_id)


def _execution(row: Row) -> StageExecution:
    return StageExecution.model_validate(
        {
            **column_fields(row),
            **to_facts(spec_of(row), outcome_of(row)),
            "llm_provider": row["llm_provider"],
            "fallback_attempt": row["fallback_count"] or None,
            "total_tokens": row["input_tokens"] + row["output_tokens"],
            "duration_ms": duration_ms(row),
        }
    )
