"""One agent sends ten others, through every service, and the same while processes are killed.

What holds at every moment, for whoever dies, is shown where time is virtual: test_sweep_of_sub_agents.py.
"""

from collections import Counter
from pathlib import Path

import pytest

from tarsy_contracts import events as e
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.collector import Collector, find_orphans, name_ancestors
from tarsy_testing.story.live_log import LiveLog
from tarsy_testing.system.chains import rows
from tarsy_testing.system.investigation import shown
from tarsy_testing.system.kills import OF_SUB_AGENTS, Kill, faults, kills, play
from tarsy_testing.system.system import System
from tarsy_verification.session_log import SessionLog

SENT = Counter({"PodReader": 8, "LogReader": 1, "Restarter": 1})
RESULT = "It exits for memory."


def session_of(log: SessionLog) -> str:
    return log.accepted[0].session_id


def parent_of(log: SessionLog) -> e.ExecutionStarted:
    return next(one for one in log.events(e.ExecutionStarted) if one.agent == "Lead")


def test_ten_run_side_by_side_and_their_parent_concludes_with_what_they_bring(wide: SessionLog) -> None:
    """That their results reach it, the script sees to: it says nothing without."""
    lead = parent_of(wide)
    children = [one for one in wide.events(e.ExecutionStarted) if one.parent_execution_id]
    assert Counter(one.agent for one in children) == SENT
    assert {one.parent_execution_id for one in children} == {lead.execution_id}
    assert {one.stage_id for one in children} == {lead.stage_id}
    assert {one.status for one in wide.events(e.ExecutionCompleted)} == {"completed"}
    (end,) = wide.events(e.SessionCompleted)
    assert end.final_analysis == "Roll checkout back to v2.13.2."


async def test_people_see_who_sent_whom_for_what_and_what_came_of_it(system: System, wide: SessionLog) -> None:
    lead, id = parent_of(wide), session_of(wide)
    session = await shown(system, id, wide)
    stage = rows(session["stages"])[0]
    children = [one for one in rows(stage["executions"]) if one["parent_execution_id"]]
    assert {one["parent_execution_id"] for one in children} == {lead.execution_id}
    (reader,) = [one for one in children if one["agent_name"] == "LogReader"]
    assert reader["task"] == "Tell why checkout-7c9d6f5b84-x2x7k exits."
    assert (reader["status"], reader["iterations"], reader["llm_interaction_count"]) == ("completed", 2, 3)
    timeline = rows(system.get(f"/api/v1/sessions/{id}/timeline"))
    (analysis,) = [
        one for one in timeline
        if one["event_type"] == "final_analysis" and one["execution_id"] == reader["execution_id"]
    ]  # fmt: skip
    assert analysis["content"] == RESULT
    listed = system.get("/api/v1/sessions?page_size=100")
    assert isinstance(listed, dict)
    (row,) = [one for one in rows(listed["sessions"]) if one["id"] == id]
    assert session["has_sub_agents"] is row["has_sub_agents"] is True
    assert row["input_tokens"] == session["input_tokens"]


async def test_the_record_has_sub_agents_and_the_words_that_their_parent_read(system: System, wide: SessionLog) -> None:
    lead, id = parent_of(wide), session_of(wide)
    trace = system.get(f"/api/v1/sessions/{id}/trace")
    assert isinstance(trace, dict)
    executions = rows(rows(trace["stages"])[0]["executions"])
    assert Counter(str(one["agent_name"]) for one in executions if one["parent_execution_id"]) == SENT
    (parent,) = [one for one in executions if one["execution_id"] == lead.execution_id]
    last = rows(parent["llm_interactions"])[-1]
    question = system.get(f"/api/v1/sessions/{id}/trace/llm/{last['id']}")
    assert isinstance(question, dict)
    assert question["verified"] is True
    read = [str(one["content"]) for one in rows(question["conversation"]) if one["role"] == "user"]
    assert sum(one.startswith("[Sub-agent") for one in read) == SENT.total()
    assert any(RESULT in one for one in read)


async def test_spans_of_sub_agents_stand_under_that_of_their_parent(collector: Collector, wide: SessionLog) -> None:
    async def look() -> list[str]:
        """Each service sends its own."""
        spans = collector.of(session_of(wide))
        found = [one for one in spans if one.name == "invoke_agent LogReader"]
        return name_ancestors(spans, found[0]) if found and not find_orphans(spans) else []

    assert await eventually(look, "the spans have arrived") == ["invoke_agent Lead", "session"]


@pytest.mark.parametrize("kill", kills(OF_SUB_AGENTS), ids=str)
async def test_whoever_is_killed_each_task_is_done_once(
    kill: Kill, system: System, log: LiveLog, wide: SessionLog, lab_calls: Path
) -> None:
    assert len(wide.accepted) <= OF_SUB_AGENTS.last, "a sweep over all events would leave some out"
    played = await play(system, log, kill, "wide")
    assert faults(played, wide, lab_calls) == []
    asked = Counter(one.llm_call_id for one in played.events(e.LlmCallRequested))
    assert set(asked.values()) == {1}
