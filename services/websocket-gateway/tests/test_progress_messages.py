"""A whole investigation, as Go TARSy's dashboard follows it: the messages and keys that it reads are there."""

import json
from collections.abc import Callable
from typing import Any

import pytest

import tarsy_testing.story.whole_chain as chain
from tarsy_contracts import events as e
from tarsy_contracts.wire.ids import summary_attempt_id
from tarsy_websocket_gateway.messages.feed import Feed
from tarsy_websocket_gateway.messages.watched_steps import WatchedSteps

type Message = dict[str, Any]

SESSION = {"session_id", "timestamp", "type"}
LOGGED = SESSION | {"db_event_id"}
STAGE = LOGGED | {"stage_id", "stage_index", "stage_name", "stage_type", "status"}
INTERACTION = LOGGED | {"interaction_id", "interaction_type"}
AGENT = {"stage_id", "execution_id"}
PROGRESS = {"active_executions", "current_stage_index", "current_stage_name", "status_text", "total_stages"}
READ = {
    "session.status": LOGGED | {"status"},
    "stage.status": STAGE,
    "session.progress": SESSION | PROGRESS,
    "execution.status": SESSION | AGENT | {"agent_index", "status"},
    "execution.progress": SESSION | AGENT | {"phase", "message"},
    "interaction.created": INTERACTION,
    "timeline_event.created": LOGGED | {"event_id", "event_type", "status", "content", "sequence_number"},
    "timeline_event.completed": LOGGED | {"event_id", "event_type", "status", "content"},
}
"""Keys that the dashboard reads of each message."""


@pytest.fixture
def session(new_session: Callable[[], Any]) -> Any:
    written = new_session()
    return written.add(*chain.whole_chain(written.id))


def told(session: Any, first: int = 1, feed: Feed | None = None) -> list[Message]:
    feed = feed or Feed()
    records = [session.recorded(number) for number in range(first, len(session.records) + 1)]
    return [json.loads(message.text) for record in records for message in feed.event(record)]


def of(messages: list[Message], kind: str) -> list[Message]:
    return [message for message in messages if message["type"] == kind]


def test_each_message_has_the_keys_that_go_tarsys_dashboard_reads(session: Any) -> None:
    messages = told(session)
    assert {message["type"] for message in messages} == set(READ)
    lacking = {(one["type"], key) for one in messages for key in READ[one["type"]] - one.keys()}
    assert lacking == set()


def test_the_position_is_the_number_of_the_event(session: Any) -> None:
    assert [one for one in told(session) if one.get("db_event_id", one["number"]) != one["number"]] == []


def test_a_stage_that_ends_says_what_it_was_when_it_began(session: Any) -> None:
    stages = of(told(session), "stage.status")
    kinds = [(one["stage_type"], one["referenced_stage_id"], one["status"]) for one in stages]
    first = stages[0]["stage_id"]
    assert kinds[2:] == [
        ("synthesis", first, "started"),
        ("synthesis", first, "completed"),
        ("investigation", None, "started"),
        ("investigation", None, "completed"),
        ("exec_summary", None, "started"),
        ("exec_summary", None, "completed"),
    ]


def test_progress_counts_stages_and_those_that_the_plan_does_not_name(session: Any) -> None:
    found = of(told(session), "session.progress")
    assert [(one["current_stage_index"], one["total_stages"], one["active_executions"]) for one in found] == [
        (1, 2, 2),
        (2, 2, 1),
        (3, 3, 1),
        (4, 4, 1),
    ]
    assert found[0]["status_text"] == "Stage 1 of 2: look"


def test_phases_follow_from_what_an_agent_does(session: Any) -> None:
    found = [(one["phase"], one["message"]) for one in of(told(session), "execution.progress")]
    assert found == [
        *[("investigating", "Iteration 1/20")] * 4,
        ("synthesizing", "Making one analysis of several"),
        ("investigating", "Iteration 1/20"),
        ("finalizing", "Writing the executive summary"),
    ]


def test_calls_summaries_and_conclusions_have_phases_and_interactions_of_their_own(
    new_session: Callable[[], Any],
) -> None:
    session = new_session()
    stage = chain.first_stage(session.id)
    agent = chain.started(session.id, 1, 1, chain.CHAIN.stages[0].agents[0])
    about = {"execution_id": agent.execution_id}
    asked = chain.asked(session.id, 1, 1).model_copy(update={"purpose": "conclusion"})
    session.add(
        stage,
        agent,
        e.ToolCallRequested(
            call_id="c", llm_call_id="l", server="git", tool="log", arguments={}, repeatable=True, timeout_seconds=1,
            **about,
        ),
        e.ToolCallCompleted(call_id="c", outcome="ok", content="long"),
        e.SummaryRequested(summary_id="s", call_id="c", timeout_seconds=1, server="git", tool="log", **about),
        e.SummaryFailed(
            summary_id="s", call_id="c", error="no", attempts=(e.SummaryAttempt(provider="p"),) * 2, **about
        ),
        asked,
    )  # fmt: skip
    messages = told(session)
    assert [(one["phase"], one["message"]) for one in of(messages, "execution.progress")] == [
        ("gathering_info", "Calling git.log"),
        ("distilling", "Summarizing the result of git.log"),
        ("concluding", "Concluding"),
    ]
    interactions = of(messages, "interaction.created")
    assert [(one["interaction_type"], one["interaction_id"]) for one in interactions] == [
        ("mcp", "c"),
        ("llm", summary_attempt_id("s", 1)),
        ("llm", summary_attempt_id("s", 2)),
    ]
    assert {(one["stage_id"], one["execution_id"]) for one in interactions} == {(stage.stage_id, agent.execution_id)}


@pytest.mark.parametrize("first", [2, 9, 20, 30])
def test_a_client_that_comes_later_is_told_the_same(session: Any, first: int) -> None:
    """What came before is known from a history, and not from the log."""
    earlier, feed = WatchedSteps(), Feed()
    for number in range(1, first):
        earlier.note(session.recorded(number).event)
    feed.begin(session.id, earlier)
    assert told(session, first, feed) == [one for one in told(session) if one["number"] >= first]
