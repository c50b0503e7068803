"""Lists and details show what a running session does now, what came of one that ended, and whether it changed
anything."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from projected_world import Json, NewSession, World, records, told

from tarsy_contracts import events as e
from tarsy_contracts.wire.envelope import wire_time
from tarsy_contracts.wire.ids import execution_id, stage_id
from tarsy_testing.story.whole_chain import ADVICE, SUMMARY, begun
from tarsy_timeline.database.pool import Database
from tarsy_timeline.database.sql import QUERIES

type OpenDatabase = Callable[[], AbstractAsyncContextManager[Database]]


async def shown(world: World, session: Any) -> Json:
    """What the list shows, which the detail shows alike."""
    detail = await world.detail(session)
    listed: list[Json] = (await world.get(f"/api/v1/sessions?id_prefix={session.id}"))["sessions"]
    [row] = listed
    for name in ("outcome", "now", "changed", "models", "llm_provider"):
        assert row[name] == detail[name], name
    return row


def running(new_session: NewSession) -> Any:
    """One stage of three, with one agent of at most five iterations."""
    session = new_session()
    id = stage_id(session.id, 1)
    return session.add(
        begun(),
        e.StageStarted(stage_id=id, index=1, name="look"),
        e.ExecutionStarted(
            execution_id=agent_of(session), stage_id=id, agent="Pods", index=1, system="", prompt="", tools=(),
            max_iterations=5,
        ),
    )  # fmt: skip


def agent_of(session: Any) -> str:
    return execution_id(stage_id(session.id, 1), 1)


def question(session: Any, iteration: int) -> e.LlmCallRequested:
    return e.LlmCallRequested(
        llm_call_id=f"{session.id}/l{iteration}", execution_id=agent_of(session), iteration=iteration, attempt=1,
        purpose="iteration",
    )  # fmt: skip


def call(session: Any, name: str, *, repeatable: bool = True, read_only: bool | None = None) -> e.ToolCallRequested:
    return e.ToolCallRequested(
        call_id=f"{session.id}/{name}", execution_id=agent_of(session), llm_call_id="l", server="kubernetes", tool=name,
        arguments={}, repeatable=repeatable, read_only=read_only, timeout_seconds=60,
    )  # fmt: skip


def result(session: Any, name: str, outcome: e.Outcome = "ok") -> e.ToolCallCompleted:
    return e.ToolCallCompleted(call_id=f"{session.id}/{name}", outcome=outcome, content="done")


def time_of(session: Any, number: int) -> str:
    return wire_time(session.recorded(number).envelope.time)


async def project_next(world: World, session: Any, *messages: Any) -> None:
    first = len(session.records) + 1
    session.add(*messages)
    await world.project(*(session.recorded(number) for number in range(first, len(session.records) + 1)))


async def test_a_running_session_shows_its_stage_its_iteration_and_the_tool_that_it_waits_for(
    world: World, new_session: NewSession
) -> None:
    session = running(new_session)
    await world.project(session.recorded(1))
    assert (await shown(world, session))["now"] is None

    await world.project(session.recorded(2))
    at_first = (await shown(world, session))["now"]
    assert at_first == {
        "stage": 1, "stages": 4, "stage_name": "look", "agent": None, "iteration": None, "iteration_limit": None,
        "server": None, "tool": None, "since": time_of(session, 2),
    }  # fmt: skip

    await world.project(session.recorded(3))
    await project_next(world, session, question(session, 2))
    asking = {**at_first, "agent": "Pods", "iteration": 2, "iteration_limit": 5, "since": time_of(session, 4)}
    assert (await shown(world, session))["now"] == asking

    await project_next(world, session, call(session, "pods_log"))
    calling = {**asking, "server": "kubernetes", "tool": "pods_log", "since": time_of(session, 5)}
    assert (await shown(world, session))["now"] == calling

    await project_next(world, session, result(session, "pods_log"), question(session, 6))
    assert (await shown(world, session))["now"] == {**asking, "iteration": 5, "since": time_of(session, 7)}


async def test_a_session_that_ended_shows_its_outcome_and_nothing_that_it_does(
    world: World, new_session: NewSession
) -> None:
    session = told(new_session)
    await world.project(*records(session))
    row = await shown(world, session)
    assert (row["now"], row["outcome"]) == (None, SUMMARY.partition(" Roll")[0])

    failed = running(new_session).add(e.SessionFailed(error="no provider answers"))
    await world.project(*records(failed))
    row = await shown(world, failed)
    assert (row["now"], row["outcome"], row["error_message"]) == (None, None, "no provider answers")

    without_summary = running(new_session).add(e.SessionCompleted(final_analysis=f"# Advice\n\n**{ADVICE}** Now."))
    await world.project(*records(without_summary))
    assert (await shown(world, without_summary))["outcome"] == ADVICE


@pytest.mark.parametrize(
    ("repeatable", "read_only", "outcome", "changed"),
    [
        (False, False, "ok", 1),
        (True, False, "tool_error", 1),
        (True, False, "unknown", 1),
        (False, False, "rejected", 0),
        (False, False, "cancelled", 0),
        (False, False, "unavailable", 0),
        (True, True, "ok", 0),
        (False, True, "ok", 0),  # it waited for a person
        (False, None, "ok", 1),
        (True, None, "ok", 0),
    ],
)
async def test_calls_that_may_have_changed_something_are_counted(
    world: World, new_session: NewSession, repeatable: bool, read_only: bool | None, outcome: e.Outcome, changed: int
) -> None:
    session = running(new_session)
    session.add(call(session, "a", repeatable=repeatable, read_only=read_only), result(session, "a", outcome))
    await world.project(*records(session))
    assert (await shown(world, session))["changed"] == changed


async def test_the_models_that_answered_and_the_provider_that_was_chosen_are_listed(
    world: World, new_session: NewSession
) -> None:
    first = begun()
    chosen = first.alert.model_copy(update={"llm_provider": "openai"})
    session = told(new_session)
    await world.project(*records(session), *records(new_session().add(first.model_copy(update={"alert": chosen}))))
    rows = (await world.get("/api/v1/sessions"))["sessions"]
    assert [(one["llm_provider"], bool(one["models"])) for one in rows] in (
        [(None, True), ("openai", False)],
        [("openai", False), (None, True)],
    )


async def test_calls_that_run_are_read_from_their_index(open_database: OpenDatabase) -> None:
    async with open_database() as database, database.connection() as connection:
        await connection.execute(
            "insert into timeline_events (event_id, session_id, event_type, status, content, metadata, sequence_number,"
            " created_at, updated_at, number) select 'e' || n, 's' || n % 50, 'llm_tool_call',"
            " case when n % 1000 = 0 then 'streaming' else 'completed' end, '', '{}', n, now(), now(), n"
            " from generate_series(1, 20000) n"
        )
        await connection.execute("vacuum analyze timeline_events")
        plan = await connection.fetch(f"explain {QUERIES['read_open_calls']}", ["s0", "s1"])
        assert any("timeline_events_streaming" in row[0] for row in plan), plan
