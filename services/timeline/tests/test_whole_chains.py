"""Answers about whole chains and the queue: HTTP in front, a real PostgreSQL behind, filled by the projection."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from projected_world import Json, World, records, told

from tarsy_contracts import events as e
from tarsy_contracts.alert import Alert, Priority
from tarsy_contracts.wire.ids import execution_id, stage_id
from tarsy_testing.story.whole_chain import (
    ADVICE,
    CHAIN,
    FULL,
    LIMIT,
    SUMMARY,
    asked,
    begun,
    first_stage,
    partial_chain,
    started,
)
from tarsy_timeline.database.pool import Database
from tarsy_timeline.database.sql import QUERIES

type NewSession = Callable[[], Any]
type OpenDatabase = Callable[[], AbstractAsyncContextManager[Database]]


@pytest.mark.parametrize("at_once", [True, False], ids=["in one batch", "event by event"])
async def test_a_whole_chain_is_answered_with_its_stages_and_executions(
    world: World, new_session: NewSession, at_once: bool
) -> None:
    session = told(new_session)
    for portion in [records(session)] if at_once else [[one] for one in records(session)]:
        await world.project(*portion)

    detail = await world.detail(session)

    stages = [stage_id(session.id, index) for index in range(1, 5)]
    expected: Json = {
        "status": "completed", "total_stages": 4, "completed_stages": 4, "failed_stages": 0, "queue_position": None,
        "has_parallel_stages": True, "provider_fallback_count": 1, "current_stage_index": 4, "priority": "urgent",
        "current_stage_id": stages[3], "final_analysis": ADVICE, "executive_summary": SUMMARY,
        "executive_summary_error": None, "evidence_limits": [LIMIT],
        "started_at": "2026-11-22T10:00:01.000Z", "mcp_interaction_count": 0,
        "mcp_selection": {"servers": [{"name": "kubernetes", "tools": ["pods_list"]}], "native_tools": None},
    }  # fmt: skip
    assert {name: detail[name] for name in expected} == expected
    names = ("id", "stage_name", "stage_index", "stage_type", "status", "expected_agent_count")
    assert [tuple(stage[name] for name in names) for stage in detail["stages"]] == [
        (stages[0], "look", 1, "investigation", "completed", 2),
        (stages[1], "look - Synthesis", 2, "synthesis", "completed", 1),
        (stages[2], "advise", 3, "investigation", "completed", 1),
        (stages[3], "Executive Summary", 4, "exec_summary", "completed", 1),
    ]
    parallel = ("parallel_type", "success_policy", "referenced_stage_id", "chain_stage")
    assert [tuple(stage[name] for name in parallel) for stage in detail["stages"]] == [
        ("multi_agent", "any", None, 0),
        (None, None, stages[0], 0),
        (None, None, None, 1),
        (None, None, None, None),
    ]
    shown = ("agent_name", "llm_provider", "original_llm_provider", "fallback_error_code", "fallback_attempt",
             "controller", "iterations", "max_iterations", "forced_conclusion", "total_tokens")  # fmt: skip
    assert [tuple(one[name] for name in shown) for one in detail["stages"][0]["executions"]] == [
        ("Pods", "gemini", None, None, None, "function_calling", 1, 20, False, 120),
        ("Metrics", "claude", "gemini", "credentials", 1, "function_calling", 20, 20, True, 120),
    ]
    [item] = (await world.get("/api/v1/sessions"))["sessions"]
    shared = item.keys() - {"matched_in_content", "highlights"}
    assert {name: item[name] for name in shared} == {name: detail[name] for name in shared}
    status = await world.get(f"/api/v1/sessions/{session.id}/status")
    assert (status["executive_summary"], status["queue_position"]) == (SUMMARY, None)


async def test_a_partial_analysis_says_why_wherever_the_session_is_shown(world: World, new_session: NewSession) -> None:
    session = new_session()
    await world.project(*records(session.add(*partial_chain(session.id))))

    detail = await world.detail(session)
    [item] = (await world.get("/api/v1/sessions"))["sessions"]
    status = await world.get(f"/api/v1/sessions/{session.id}/status")

    assert [one["partial_reason"] for one in (detail, item, status)] == [f"Metrics: {FULL}"] * 3
    agents = [one for stage in detail["stages"] for one in stage["executions"]]
    assert {one["agent_name"]: one["partial_reason"] for one in agents if one["partial_reason"]} == {"Metrics": FULL}


async def test_a_provider_that_is_left_twice_is_still_the_first_one(world: World, new_session: NewSession) -> None:
    session = told(new_session, until=13)
    execution = execution_id(stage_id(session.id, 1), 2)
    session.add(
        e.ProviderFellBack(
            execution_id=execution, from_provider="claude", to_provider="gpt", kind="max_retries", error="500"
        )
    )
    await world.project(*records(session))

    agent = (await world.detail(session))["stages"][0]["executions"][1]

    told_of = ("llm_provider", "original_llm_provider", "fallback_reason", "fallback_attempt", "number")
    assert [agent[name] for name in told_of] == ["gpt", "gemini", "500", 2, 14]


def waiting(new_session: NewSession, priority: Priority | None, severity: str = "", *, second: int = 0) -> Any:
    """A session whose first event is of that second."""
    session = new_session()
    alert = Alert(alert_type="a", data="d", source="api", author="ann", severity=severity, priority=priority)
    session.add(begun().model_copy(update={"alert": alert}))
    envelope, value = session.records[0]
    session.records[0] = (replace(envelope, time=envelope.time + timedelta(seconds=second)), value)
    return session


async def test_who_waits_has_a_position_by_priority_and_then_by_arrival(world: World, new_session: NewSession) -> None:
    low = waiting(new_session, "low", second=1)
    late = waiting(new_session, None, second=9)
    early = waiting(new_session, "normal", second=2)
    urgent = waiting(new_session, None, "Critical ", second=10)
    running = told(new_session, until=2)
    for session in (low, late, early, urgent, running):
        await world.project(*records(session))

    answer = await world.get("/api/v1/sessions/active")
    listed = {one["id"]: one["queue_position"] for one in (await world.get("/api/v1/sessions"))["sessions"]}

    in_order = [urgent.id, early.id, late.id, low.id]
    assert [(one["id"], one["queue_position"], one["status"]) for one in answer["queued"]] == [
        (id, place, "pending") for place, id in enumerate(in_order, start=1)
    ]
    assert [(one["id"], one["current_stage_index"]) for one in answer["active"]] == [(running.id, 1)]
    assert listed == {id: place for place, id in enumerate(in_order, start=1)} | {running.id: None}
    for session, place in ((urgent, 1), (late, 3), (running, None)):
        detail = await world.detail(session)
        assert (detail["queue_position"], detail["started_at"] is None) == (place, place is not None)


async def test_who_had_their_turn_leave_the_queue(world: World, new_session: NewSession) -> None:
    """One begins, one is cancelled while it waits."""
    sessions = [waiting(new_session, "normal", second=second) for second in range(3)]
    for session in sessions:
        await world.project(*records(session))
    first, second, third = sessions
    first.add(first_stage(first.id))
    second.add(e.RequestAccepted(request_id="r", request=e.CANCEL, author="bob"), e.SessionCancelled(author="bob"))
    await world.project(first.recorded(2), second.recorded(2), second.recorded(3))

    answer = await world.get("/api/v1/sessions/active")

    assert [(one["id"], one["queue_position"]) for one in answer["queued"]] == [(third.id, 1)]
    assert [one["id"] for one in answer["active"]] == [first.id]
    detail = await world.detail(second)
    assert (detail["status"], detail["started_at"], detail["duration_ms"]) == ("cancelled", None, None)
    assert detail["error_message"] == "cancelled by bob"


async def test_the_queue_is_read_from_its_index_and_only_for_who_waits(
    world: World, open_database: OpenDatabase
) -> None:
    async with open_database() as database, database.connection() as connection:
        await connection.execute(
            """insert into sessions (session_id, partition, last_number, last_event_id, created_at, status)
               select 's' || n, 0, 1, 'e', now(), case when n % 10 = 0 then 'pending' else 'completed' end
               from generate_series(1, 20000) n"""
        )
        await connection.execute("vacuum analyze sessions")
        for name, argument in (("read_queued", 10), ("read_session", "s10")):
            plan = await connection.fetch(f"explain {QUERIES[name]}", argument)
            assert any("sessions_pending" in row[0] for row in plan), plan
        ran = await connection.fetch(f"explain (analyze) {QUERIES['read_session']}", "s1")
        assert any("never executed" in row[0] for row in ran if "sessions_pending" in row[0]), ran


async def test_filters_are_offered_as_sessions_have_them(world: World, new_session: NewSession) -> None:
    await world.project(*records(told(new_session)), *records(waiting(new_session, "low")))

    assert await world.get("/api/v1/sessions/filter-options") == {
        "alert_types": ["a", "pod-crash"],
        "chain_ids": [CHAIN.chain_id],
        "statuses": ["pending", "in_progress", "cancelling", "completed", "failed", "cancelled", "timed_out"],
        "severities": ["critical"], "clusters": [], "namespaces": [], "workloads": [], "session_labels": [],
    }  # fmt: skip


async def test_the_timeline_of_a_whole_chain_is_in_order_and_nothing_streams_at_the_end(
    world: World, new_session: NewSession
) -> None:
    session = told(new_session)
    await world.project(*records(session))

    history = await world.get(f"/internal/v1/sessions/{session.id}/history")

    assert [(one["event_type"], one["status"], one["number"]) for one in history["timeline"]] == [
        ("runbook", "completed", 5), ("error", "completed", 10), ("llm_wait", "completed", 11),
        ("error", "completed", 12), ("provider_fallback", "completed", 13), ("llm_response", "completed", 15),
        ("final_analysis", "completed", 16), ("llm_response", "completed", 17), ("final_analysis", "completed", 18),
        ("llm_response", "completed", 23), ("final_analysis", "completed", 24), ("llm_response", "completed", 29),
        ("final_analysis", "completed", 30), ("llm_response", "completed", 35), ("executive_summary", "completed", 36),
    ]  # fmt: skip
    runbook = history["timeline"][0]
    assert (runbook["execution_id"], runbook["stage_id"]) == (None, None)


async def test_a_session_that_took_too_long_says_so(world: World, new_session: NewSession) -> None:
    session = told(new_session, until=2)
    agent = started(session.id, 1, 1, CHAIN.stages[0].agents[0])
    stage = first_stage(session.id)
    session.add(agent, asked(session.id, 1, 1))
    session.add(
        e.ExecutionCompleted(
            execution_id=agent.execution_id, stage_id=agent.stage_id, agent="Pods", index=1, status="timed_out",
            error="too long",
        ),
        e.StageCompleted(stage_id=stage.stage_id, index=1, name="look", status="timed_out", error="too long"),
        e.SessionTimedOut(error="too long"),
    )  # fmt: skip
    await world.project(*records(session))

    detail = await world.detail(session)

    assert (detail["status"], detail["error_message"], detail["failed_stages"]) == ("timed_out", "too long", 1)
    [only] = detail["stages"]
    assert (only["status"], only["executions"][0]["status"]) == ("timed_out", "timed_out")
    assert detail["completed_at"] is not None
