"""Activity of a running session, from its rows. Pure."""

from collections.abc import Sequence
from datetime import datetime

from tarsy_contracts.api.sessions import SessionActivity
from tarsy_contracts.wire.envelope import wire_time
from tarsy_timeline.rows.execution_facts import iteration_limit
from tarsy_timeline.rows.found_result import CALL_TYPES
from tarsy_timeline.rows.session_rows import Row, RunningRows, by_session

RUNNING = frozenset({"in_progress", "cancelling"})


def activities_of(sessions: Sequence[Row], running: RunningRows) -> dict[str, SessionActivity | None]:
    """Those of the sessions of a list that run, by their ids."""
    tables = [by_session(rows) for rows in (running.stages, running.executions, running.calls)]
    return {
        row["session_id"]: activity_of(row, *(table[row["session_id"]] for table in tables))
        for row in sessions
        if row["status"] in RUNNING
    }


def activity_of(
    session: Row, stages: Sequence[Row], executions: Sequence[Row], timeline: Sequence[Row]
) -> SessionActivity | None:
    """None for a session that does not run. `stages` and `timeline` are in order, of which open calls are enough."""
    if session["status"] not in RUNNING or not stages:
        return None
    stage = stages[-1]
    agent = _find_latest_agent(stage["stage_id"], executions)
    call = _find_open_call(None if agent is None else agent["execution_id"], timeline)
    limit = None if agent is None else iteration_limit(agent)
    return SessionActivity(
        stage=stage["stage_index"],
        stages=max(session["total_stages"], stage["stage_index"]),
        stage_name=stage["stage_name"],
        agent=None if agent is None else agent["agent_name"],
        iteration=None if agent is None else _cap_iteration(agent["iteration"], limit),
        iteration_limit=limit,
        server=None if call is None else call["metadata"].get("server_name"),
        tool=None if call is None else call["metadata"].get("tool_name"),
        since=wire_time(_activity_start(stage, agent, call)),
    )


def _find_latest_agent(stage_id: str, executions: Sequence[Row]) -> Row | None:
    """The one that began something last, of those that run in the stage."""
    active = [one for one in executions if one["stage_id"] == stage_id and one["status"] == "active"]
    return max(active, key=_execution_start, default=None)


def _execution_start(execution: Row) -> datetime:
    began: datetime = execution["asked_at"] or execution["started_at"]
    return began


def _find_open_call(execution_id: str | None, timeline: Sequence[Row]) -> Row | None:
    """The newest. The runbook's belongs to no execution."""
    calls = [
        row
        for row in timeline
        if row["status"] == "streaming" and row["event_type"] in CALL_TYPES and row["execution_id"] == execution_id
    ]
    return calls[-1] if calls else None


def _activity_start(stage: Row, agent: Row | None, call: Row | None) -> datetime:
    since: datetime = stage["started_at"]
    if call is not None:
        since = call["created_at"]
    elif agent is not None:
        since = _execution_start(agent)
    return since


def _cap_iteration(iteration: int | None, limit: int | None) -> int | None:
    """The conclusion that an agent is made to write after its last iteration belongs to that one."""
    return iteration if iteration is None or limit is None else min(iteration, limit)
