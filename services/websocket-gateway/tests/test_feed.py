"""Given a log and a stream, when something comes, then these messages."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Literal

import pytest

import tarsy_testing.story.whole_chain as chain
from tarsy_contracts import events as e
from tarsy_contracts.messages.chunks import Chunk, LlmChunk, Progress, SummaryChunk
from tarsy_contracts.timeline.changes import llm_timeline_event_id
from tarsy_contracts.wire.ids import timeline_event_id
from tarsy_testing.story.live_messages import PROGRESS
from tarsy_websocket_gateway.messages import streamed_texts as streams
from tarsy_websocket_gateway.messages.feed import Feed
from tarsy_websocket_gateway.messages.outgoing import Outgoing, join_deltas
from tarsy_websocket_gateway.messages.watched_steps import WatchedSteps

type Story = Callable[[], Any]

NOW = datetime(2026, 11, 22, tzinfo=UTC)
TEXT = llm_timeline_event_id("call", "text")
THINKING = llm_timeline_event_id("call", "thinking")
SUMMARY = timeline_event_id("sum", "mcp_tool_summary")


def llm(run: int, index: int, text: str, part: Literal["thinking", "text"] = "text", call: str = "call") -> LlmChunk:
    return LlmChunk(call_id=call, execution_id="exec", run=run, index=index, part=part, text=text)


def summary(run: int, index: int, text: str) -> SummaryChunk:
    return SummaryChunk(call_id="sum", execution_id="exec", run=run, index=index, text=text)


def short(messages: list[Outgoing]) -> list[tuple[object, ...]]:
    """Type, timeline event, and the text or status."""
    found = [json.loads(message.text) for message in messages if message.type not in PROGRESS]
    return [(one["type"], one.get("event_id"), one.get("delta", one.get("status"))) for one in found]


def given(*chunks: Chunk) -> Feed:
    feed = Feed()
    for chunk in chunks:
        join_deltas(feed.chunk("s", chunk, NOW, 7))
    return feed


def when(feed: Feed, *chunks: Chunk) -> list[tuple[object, ...]]:
    return short([message for chunk in chunks for message in join_deltas(feed.chunk("s", chunk, NOW, 7))])


def happened(feed: Feed, session: Any, *events: Any) -> list[tuple[object, ...]]:
    session.id = "s"
    session.add(*events)
    records = [session.recorded(len(session.records) - len(events) + place + 1) for place in range(len(events))]
    return short([message for record in records for message in feed.event(record)])


def completed(text: str = "Done.") -> e.LlmCallCompleted:
    return e.LlmCallCompleted.model_validate(
        {
            "llm_call_id": "call", "execution_id": "exec", "thinking": "", "text": text, "tool_calls": [],
            "usage": {}, "model": "m", "duration_ms": 1,
        }
    )  # fmt: skip


def test_the_first_chunk_of_a_part_creates_its_timeline_event() -> None:
    messages = when(given(), llm(1, 0, "hm", "thinking"), llm(1, 1, "Hel"), llm(1, 2, "lo"))

    assert messages == [
        ("timeline_event.created", THINKING, "streaming"),
        ("stream.chunk", THINKING, "hm"),
        ("timeline_event.created", TEXT, "streaming"),
        ("stream.chunk", TEXT, "Hel"),
        ("stream.chunk", TEXT, "lo"),
    ]


def test_what_streams_stands_behind_all_that_is_there() -> None:
    [created, _] = join_deltas(given().chunk("s", llm(1, 0, "a"), NOW, 7))

    assert json.loads(created.text)["sequence_number"] == 80
    assert created.number is None


def test_an_index_that_was_seen_and_an_older_run_are_dropped() -> None:
    feed = given(llm(2, 0, "a"), llm(2, 1, "b"))

    assert when(feed, llm(2, 1, "b"), llm(2, 0, "a"), llm(1, 5, "old")) == []


def test_a_newer_run_replaces_all_parts_of_the_older() -> None:
    feed = given(llm(1, 0, "hm", "thinking"), llm(1, 1, "old"))

    assert when(feed, llm(2, 0, "new")) == [
        ("stream.reset", THINKING, None),
        ("stream.reset", TEXT, None),
        ("stream.chunk", TEXT, "new"),
    ]
    [call] = feed.list_running_calls("s")
    assert call.parts[TEXT].pieces == ["new"]
    assert call.parts[THINKING].pieces == []


@pytest.mark.parametrize("sign", [TEXT, timeline_event_id("call", "error"), "exec"])
def test_a_call_that_history_shows_as_ended_does_not_stream_again_and_is_not_discarded(story: Story, sign: str) -> None:
    """A client that comes late is shown the stream of the last seconds, and in it calls that have ended."""
    feed = Feed()
    feed.begin("s", WatchedSteps(), frozenset({sign}))
    assert when(feed, llm(1, 0, "Done"), llm(1, 1, ".")) == []
    ended = e.ExecutionCompleted(execution_id="exec", stage_id="stage", agent="a", index=0, status="completed")
    assert TEXT not in [event_id for _, event_id, _ in happened(feed, story(), ended)]


def test_progress_is_told_of_the_timeline_event_of_its_call_until_that_has_ended(story: Story) -> None:
    session, feed = story(), Feed()
    requested = next(record.event for record in map(session.recorded, range(1, 14)) if _asks_a_tool(record.event))
    word = Progress(call_id=requested.call_id, run=1, index=0, text="3 of 10")

    [message] = join_deltas(feed.chunk(session.id, word, NOW, 7))
    for number in range(1, 9):
        feed.event(session.recorded(number))

    assert json.loads(message.text) == {
        "type": "stream.progress",
        "event_id": timeline_event_id(requested.call_id, "llm_tool_call"),
        "session_id": session.id,
        "text": "3 of 10",
        "run": 1,
        "index": 0,
        "timestamp": json.loads(message.text)["timestamp"],
        "number": None,
    }
    assert join_deltas(feed.chunk(session.id, word, NOW, 7)) == []


def _asks_a_tool(event: object) -> bool:
    return isinstance(event, e.ToolCallRequested)


def test_the_log_completes_what_streamed_and_later_chunks_are_dropped(new_session: Callable[[], Any]) -> None:
    feed = given(llm(1, 0, "Do"))

    assert happened(feed, new_session(), completed()) == [("timeline_event.completed", TEXT, "completed")]
    assert when(feed, llm(1, 1, "ne."), llm(2, 0, "Again")) == []
    assert feed.list_running_calls("s") == []


def test_without_chunks_the_log_creates(new_session: Callable[[], Any]) -> None:
    assert happened(given(), new_session(), completed()) == [("timeline_event.created", TEXT, "completed")]


def test_what_streamed_and_came_to_nothing_is_ended(new_session: Callable[[], Any]) -> None:
    feed = given(llm(1, 0, "Do"))

    failed = e.LlmCallFailed(llm_call_id="call", execution_id="exec", error="overloaded", retryable=True)

    assert happened(feed, new_session(), failed) == [
        ("timeline_event.created", timeline_event_id("call", "error"), "completed"),
        ("timeline_event.completed", TEXT, "failed"),
    ]


def test_what_streamed_until_its_time_was_up_stays(new_session: Callable[[], Any]) -> None:
    feed = given(llm(1, 0, "Do"))

    failed = e.LlmCallFailed(
        llm_call_id="call", execution_id="exec", error="late", retryable=False, kind="session_timeout", text="Do"
    )

    assert happened(feed, new_session(), failed) == [
        ("timeline_event.completed", TEXT, "timed_out"),
        ("timeline_event.created", timeline_event_id("call", "error"), "timed_out"),
    ]


def test_an_ended_session_ends_all_that_streams(new_session: Callable[[], Any]) -> None:
    feed = given(llm(1, 0, "Do"), llm(1, 0, "It", call="other"))
    session = new_session().add()
    session.id = "s"
    record = session.add(e.SessionCancelled(author="ann")).recorded(1)

    types = [message.type for message in feed.event(record)]

    assert types == ["session.status", "timeline_event.completed", "timeline_event.completed"]
    assert feed.list_running_calls("s") == []


def test_a_summary_that_the_log_announced_is_not_created_again(new_session: Callable[[], Any]) -> None:
    feed, session = given(), new_session()
    asked = e.SummaryRequested(summary_id="sum", call_id="c", execution_id="exec", timeout_seconds=1)

    assert happened(feed, session, asked) == [("timeline_event.created", SUMMARY, "streaming")]
    assert when(feed, summary(1, 0, "In short")) == [("stream.chunk", SUMMARY, "In short")]


def test_a_summary_that_streams_before_its_announcement_is_told_again_after_it(new_session: Callable[[], Any]) -> None:
    feed, session = given(), new_session()
    asked = e.SummaryRequested(summary_id="sum", call_id="c", execution_id="exec", timeout_seconds=1)

    assert when(feed, summary(1, 0, "In"))[0] == ("timeline_event.created", SUMMARY, "streaming")
    assert happened(feed, session, asked) == [
        ("timeline_event.created", SUMMARY, "streaming"),
        ("stream.reset", SUMMARY, None),
        ("stream.chunk", SUMMARY, "In"),
    ]
    assert when(feed, summary(1, 1, " short")) == [("stream.chunk", SUMMARY, " short")]


def test_the_text_kept_of_a_call_is_bounded_but_chunks_go_on() -> None:
    half = "x" * (streams.CALL_BYTES // 2)
    feed = given(llm(1, 0, half), llm(1, 1, half))

    assert when(feed, llm(1, 2, "more")) == [("stream.chunk", TEXT, "more")]
    [call] = feed.list_running_calls("s")
    assert call.size == streams.CALL_BYTES


def test_the_number_of_calls_is_bounded() -> None:
    feed = given(*(llm(1, 0, "a", call=str(number)) for number in range(streams.MOST_CALLS + 1)))

    assert len(feed.list_running_calls("s")) == streams.MOST_CALLS
    assert when(feed, llm(1, 1, "b", call="0")) == []


def test_the_text_of_all_calls_together_is_bounded() -> None:
    """Each had its own bound: 512 of them came to 128 MB."""
    running, now = streams.Streams(most_characters=10_000), datetime(2026, 11, 22, tzinfo=UTC)
    for number in range(40):
        for index in range(3):
            assert running.take("s", llm(1, index, "x" * 500, call=f"c{number}"), now, 1)
        assert running.size <= 10_000
    assert running.size == sum(call.size for call in running.list_running_calls("s")) > 8_000
    running.take("s", llm(2, 0, "y", call="c39"), now, 1)
    assert running.size == sum(call.size for call in running.list_running_calls("s"))
    running.end([call.call_id for call in running.list_running_calls("s")])
    assert running.size == 0


def test_live_messages_of_a_whole_session(story: Story) -> None:
    session, feed = story(), Feed()

    told = [one for n in range(1, 14) for one in feed.event(session.recorded(n)) if one.type not in PROGRESS]
    messages = [json.loads(one.text) for one in told]

    shown = [(one["type"], one["status"], one["number"]) for one in messages]
    assert shown == [
        ("session.status", "pending", 1),
        ("session.status", "in_progress", 2),
        ("stage.status", "started", 2),
        ("execution.status", "active", 3),
        ("timeline_event.created", "completed", 5),
        ("timeline_event.created", "completed", 5),
        ("timeline_event.created", "streaming", 6),
        ("timeline_event.completed", "completed", 8),
        ("timeline_event.created", "streaming", 9),
        ("timeline_event.completed", "completed", 10),
        ("timeline_event.created", "completed", 11),
        ("execution.status", "completed", 11),
        ("stage.status", "completed", 12),
        ("session.status", "completed", 13),
    ]
    assert all(one["session_id"] == session.id and one["timestamp"].endswith("Z") for one in messages)
    assert messages[7]["metadata"]["display_cut"] is True


def test_stages_and_executions_say_what_they_are_when_they_begin(new_session: Callable[[], Any]) -> None:
    session, feed = new_session(), Feed()
    session.add(*chain.whole_chain(session.id))

    messages = [
        json.loads(one.text) for n in range(1, len(session.records) + 1) for one in feed.event(session.recorded(n))
    ]

    stages = [one for one in messages if one["type"] == "stage.status" and one["status"] == "started"]
    names = ("stage_type", "expected_agent_count", "parallel_type", "success_policy", "referenced_stage_id")
    assert [tuple(one[name] for name in names) for one in stages] == [
        ("investigation", 2, "multi_agent", "any", None),
        ("synthesis", 1, None, None, stages[0]["stage_id"]),
        ("investigation", 1, None, None, None),
        ("exec_summary", 1, None, None, None),
    ]
    agents = [one for one in messages if one["type"] == "execution.status" and one["agent_name"] == "Metrics"]
    assert [one.get("llm_provider") for one in agents] == ["gemini", None]
    assert [one.get("forced_conclusion") for one in agents] == [None, True]
    ended = messages[-1]
    assert (ended["type"], ended["final_analysis"], ended["executive_summary"]) == (
        "session.status",
        chain.ADVICE,
        chain.SUMMARY,
    )


def test_a_partial_analysis_is_told_with_its_reason(new_session: Callable[[], Any]) -> None:
    session, feed = new_session(), Feed()
    session.add(*chain.partial_chain(session.id))

    messages = [
        json.loads(one.text) for n in range(1, len(session.records) + 1) for one in feed.event(session.recorded(n))
    ]

    told = [one for one in messages if one.get("partial_reason")]
    assert [(one["type"], one["partial_reason"]) for one in told] == [
        ("execution.status", chain.FULL),
        ("session.status", f"Metrics: {chain.FULL}"),
    ]


def test_what_an_agent_said_before_its_call_failed_is_taken_back(new_session: Callable[[], Any]) -> None:
    feed, session = given(llm(1, 0, "Do")), new_session()
    cancelled = e.LlmCallFailed(
        llm_call_id="call", execution_id="exec", error="cancelled by ann", retryable=False, kind="cancelled"
    )

    assert happened(feed, session, cancelled) == [
        ("timeline_event.created", timeline_event_id("call", "error"), "cancelled"),
        ("timeline_event.completed", TEXT, "failed"),
    ]
    assert when(feed, llm(1, 1, "ne.")) == []
