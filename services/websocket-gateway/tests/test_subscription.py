"""A subscriber comes at any moment, its history reaches any distance: no gap, nothing twice."""

import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarsy_contracts.chunks import LlmChunk
from tarsy_contracts.timeline import TimelineCreated, TimelineEnded, llm_timeline_event_id, timeline_changes
from tarsy_websocket_gateway.feed import Feed
from tarsy_websocket_gateway.history import History, read_history
from tarsy_websocket_gateway.messages import Outgoing, outgoing
from tarsy_websocket_gateway.subscription import MOST_HELD, HeldTooMuch, Subscription

type Story = Callable[[], Any]

LAST = 13
NOW = datetime(2026, 11, 22, tzinfo=UTC)


def history_of(session: Any, reach: int) -> History:
    """As the timeline would answer once it has projected `reach` events: here simply one message a change."""
    feed, ended = Feed(), set()
    for number in range(1, reach + 1):
        for change in timeline_changes(session.recorded(number)):
            if isinstance(change, TimelineCreated | TimelineEnded) and change.status != "streaming":
                ended.add(change.event_id)
    messages = [one for number in range(1, reach + 1) for one in feed.event(session.recorded(number))]
    present = frozenset(one.event_id for one in messages if one.event_id)
    return History(reach, tuple(messages), present, frozenset(ended), over=reach == LAST)


def keys(messages: Iterable[Outgoing]) -> list[tuple[int | None, str, str | None]]:
    return [(one.number, one.type, one.event_id) for one in messages if one.number is not None]


@pytest.mark.parametrize("subscribed", range(LAST + 1))
def test_each_event_comes_once_for_every_cut(story: Story, subscribed: int) -> None:
    """Subscribed after `subscribed` events, answered after `answered`, by a history that reaches `reach`."""
    session = story()
    whole = keys(history_of(session, LAST).messages)
    for answered in range(subscribed, LAST + 1):
        for reach in range(subscribed, LAST + 1):
            feed, subscription, got = Feed(), Subscription(), list[Outgoing]()
            for number in range(LAST + 1):
                messages = feed.event(session.recorded(number)) if number else []
                if number > subscribed:
                    got += [one for one in messages if subscription.offer(one)]
                if number == answered:
                    got += subscription.begin(history_of(session, reach), feed.running(session.id))
            assert keys(got) == whole, (subscribed, answered, reach)


def test_a_session_that_nobody_knows_yet_begins_with_nothing(story: Story) -> None:
    session, feed, subscription = story(), Feed(), Subscription()

    assert subscription.begin(History(), []) == []
    live = [one for number in range(1, LAST + 1) for one in feed.event(session.recorded(number))]
    assert [subscription.offer(one) for one in live] == [True] * len(live)


@given(chunks=st.integers(0, 12), cut=st.integers(0, 12), restart=st.integers(1, 12))
def test_the_text_is_whole_wherever_a_subscriber_comes(chunks: int, cut: int, restart: int) -> None:
    """The call is started a second time before the chunk `restart`."""
    feed, subscription, text = Feed(), Subscription(), ""
    expected = "".join(f"<{n}>" for n in range(chunks) if n >= restart or chunks <= restart)
    got: list[Outgoing] = []
    for number in range(chunks + 1):
        if number == min(cut, chunks):
            got += subscription.begin(History(), feed.running("s"))
        if number < chunks:
            run, index = (2, number - restart) if number >= restart else (1, number)
            chunk = LlmChunk(call_id="c", execution_id="e", run=run, index=index, part="text", text=f"<{number}>")
            got += [one for one in feed.chunk("s", chunk, NOW, 0) if subscription.offer(one)]
    for message in (json.loads(one.text) for one in got):
        if message["type"] == "stream.reset":
            text = ""
        text += message.get("delta", "")
    assert text == expected
    assert [one.type for one in got].count("timeline_event.created") == (chunks > 0)


def test_what_history_shows_as_ended_does_not_stream_any_more() -> None:
    """The gateway began after the call had ended, and reads its chunks again."""
    feed, subscription = Feed(), Subscription()
    chunk = LlmChunk(call_id="c", execution_id="e", run=1, index=0, part="text", text="old")
    feed.chunk("s", chunk, NOW, 0)
    event_id = llm_timeline_event_id("c", "text")

    begun = subscription.begin(History(5, ended=frozenset({event_id})), feed.running("s"))

    assert begun == []
    late = feed.chunk("s", chunk.model_copy(update={"index": 1}), NOW, 0)
    assert [subscription.offer(one) for one in late] == [False]


def test_history_becomes_messages_with_the_sessions_status_last() -> None:
    time = "2026-11-22T10:00:00.000Z"
    row = {"status": "active", "error_message": None, "number": 3, "started_at": time, "completed_at": None}
    execution = {**row, "execution_id": "e", "agent_name": "a", "agent_index": 0}
    stage = {**row, "id": "st", "stage_name": "look", "stage_index": 0, "executions": [execution], "number": 2}
    event = {
        "id": "ev", "execution_id": "e", "event_type": "llm_response", "status": "completed", "content": "Hi",
        "metadata": {}, "sequence_number": 50, "number": 5, "updated_at": time,
    }  # fmt: skip
    session = {**row, "id": "s", "status": "in_progress", "final_analysis": None, "last_number": 5, "stages": [stage]}

    history = read_history({"last_number": 5, "session": session, "timeline": [event]})

    messages = [json.loads(one.text) for one in history.messages]
    assert [(one["type"], one["status"], one["number"]) for one in messages] == [
        ("stage.status", "started", 2),
        ("execution.status", "active", 3),
        ("timeline_event.created", "completed", 5),
        ("session.status", "in_progress", 5),
    ]
    assert all(one["session_id"] == "s" and one["timestamp"] == time for one in messages)
    assert history.ended == {"ev"}
    assert not history.over


def test_the_history_of_a_timeline_that_knows_more_is_told_with_it() -> None:
    """Of one that does not, the test above tells: while a newer gateway runs beside an older timeline."""
    time = "2026-11-22T10:00:00.000Z"
    row = {"status": "active", "error_message": None, "number": 3, "started_at": time, "completed_at": None}
    agent = {"llm_provider": "claude", "original_llm_provider": "gemini", "iterations": 2, "forced_conclusion": False}
    execution = {**row, **agent, "execution_id": "e", "agent_name": "a", "agent_index": 1}
    kind = {"stage_type": "synthesis", "expected_agent_count": 1, "referenced_stage_id": "first"}
    stage = {**row, **kind, "id": "st", "stage_name": "look", "stage_index": 2, "executions": [execution]}
    session = {
        **row, "id": "s", "status": "pending", "final_analysis": None, "executive_summary": "short", "last_number": 5,
        "stages": [stage], "started_at": None, "created_at": time,
    }  # fmt: skip

    history = read_history({"last_number": 5, "session": session, "timeline": []})

    told = [json.loads(one.text) for one in history.messages]
    assert {name: told[0][name] for name in kind} == kind
    assert {name: told[1][name] for name in agent} == agent
    assert (told[2]["status"], told[2]["executive_summary"], told[2]["timestamp"]) == ("pending", "short", time)


def test_what_is_held_back_is_bounded() -> None:
    subscription = Subscription()
    for number in range(1, MOST_HELD + 2):
        subscription.offer(outgoing({"type": "session.status", "number": number}))

    with pytest.raises(HeldTooMuch):
        subscription.begin(History(), [])
