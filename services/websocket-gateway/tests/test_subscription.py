"""A subscriber comes at any moment, its history reaches any distance: no gap, nothing twice."""

import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarsy_contracts.api.timeline import SessionHistory
from tarsy_contracts.chain import STAGES_AFTER_THE_END
from tarsy_contracts.messages.chunks import LlmChunk
from tarsy_contracts.timeline.changes import TimelineCreated, TimelineEnded, llm_timeline_event_id, timeline_changes
from tarsy_websocket_gateway.clients.subscription import MOST_HELD, Subscription
from tarsy_websocket_gateway.errors import HeldTooMuchError
from tarsy_websocket_gateway.messages.feed import Feed
from tarsy_websocket_gateway.messages.history import History, history_of
from tarsy_websocket_gateway.messages.outgoing import Outgoing, join_deltas

type Story = Callable[[], Any]

LAST = 13
NOW = datetime(2026, 11, 22, tzinfo=UTC)


def told_of(session: Any, reach: int) -> History:
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
    whole = keys(told_of(session, LAST).messages)
    for answered in range(subscribed, LAST + 1):
        for reach in range(subscribed, LAST + 1):
            feed, subscription, got = Feed(), Subscription(), list[Outgoing]()
            for number in range(LAST + 1):
                messages = feed.event(session.recorded(number)) if number else []
                if number > subscribed:
                    got += [one for one in messages if subscription.offer(one)]
                if number == answered:
                    got += subscription.begin(told_of(session, reach), feed.list_running_calls(session.id))
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
            got += subscription.begin(History(), feed.list_running_calls("s"))
        if number < chunks:
            run, index = (2, number - restart) if number >= restart else (1, number)
            chunk = LlmChunk(call_id="c", execution_id="e", run=run, index=index, part="text", text=f"<{number}>")
            got += [one for one in join_deltas(feed.chunk("s", chunk, NOW, 0)) if subscription.offer(one)]
    for message in (json.loads(one.text) for one in got):
        if message["type"] == "stream.reset":
            text = ""
        text += message.get("delta", "")
    assert text == expected
    assert [one.type for one in got].count("timeline_event.created") == (chunks > 0)


@given(
    before=st.integers(0, 8),
    live=st.integers(0, 4),
    comes=st.lists(st.integers(0, 14), min_size=1, max_size=4),
    told=st.integers(0, 14),
    restart=st.integers(1, 12),
)
def test_whoever_comes_while_a_text_of_before_is_read_gets_all_of_it(
    before: int, live: int, comes: list[int], told: int, restart: int
) -> None:
    """`before` chunks are read again, then `live` ones come. `told`: when the reader says that it has caught up, which
    may be too early. The call is started a second time before the chunk `restart`. Each client has half a text."""
    feed, last = Feed(), before + live
    expected = "".join(f"<{n}>" for n in range(last) if n >= restart or last <= restart)
    clients: list[tuple[Subscription, list[Outgoing]]] = [(Subscription(), []) for _ in comes]
    for number in range(last + 1):
        for place, (subscription, got) in zip(comes, clients, strict=True):
            if number == min(place, last):
                got += subscription.begin(History(), feed.list_running_calls("s"), after=1)
        if number in (min(told, last), last):
            publish(join_deltas(feed.tell_caught_up("s")), clients)
        if number < last:
            chunk = chunk_at(number, restart)
            publish(join_deltas(feed.chunk("s", chunk, NOW, 0, replayed=number < before)), clients)
    for _, got in clients:
        had = "" if before else "what the client had"
        assert shown_text(got, had="what the client had") in (expected, had + expected)
        assert [one.type for one in got].count("timeline_event.created") == (last > 0)


def publish(messages: Iterable[Outgoing], clients: Iterable[tuple[Subscription, list[Outgoing]]]) -> None:
    for message in messages:
        for subscription, got in clients:
            if subscription.offer(message):
                got.append(message)


def chunk_at(number: int, restart: int) -> LlmChunk:
    run, index = (2, number - restart) if number >= restart else (1, number)
    return LlmChunk(call_id="c", execution_id="e", run=run, index=index, part="text", text=f"<{number}>")


def shown_text(got: Iterable[Outgoing], had: str) -> str:
    text = had
    for message in (json.loads(one.text) for one in got):
        text = "" if message["type"] == "stream.reset" else text + message.get("delta", "")
    return text


def test_a_text_of_before_is_told_once_however_many_records_it_is_read_in() -> None:
    feed, got = Feed(), list[Outgoing]()
    for index in range(50):
        chunk = LlmChunk(call_id="c", execution_id="e", run=1, index=index, part="text", text="word ")
        got += join_deltas(feed.chunk("s", chunk, NOW, 0, replayed=True))
    got += join_deltas(feed.tell_caught_up("s"))
    assert [one.type for one in got] == ["timeline_event.created", "stream.reset", "stream.chunk"]
    assert json.loads(got[-1].text)["delta"] == "word " * 50


def test_what_history_shows_as_ended_does_not_stream_any_more() -> None:
    """The gateway began after the call had ended, and reads its chunks again."""
    feed, subscription = Feed(), Subscription()
    chunk = LlmChunk(call_id="c", execution_id="e", run=1, index=0, part="text", text="old")
    feed.chunk("s", chunk, NOW, 0)
    event_id = llm_timeline_event_id("c", "text")

    begun = subscription.begin(History(5, ended=frozenset({event_id})), feed.list_running_calls("s"))

    assert begun == []
    late = join_deltas(feed.chunk("s", chunk.model_copy(update={"index": 1}), NOW, 0))
    assert [subscription.offer(one) for one in late] == [False]


TIME = "2026-11-22T10:00:00.000Z"
COUNTS = {
    "llm_interaction_count": 0,
    "mcp_interaction_count": 0,
    "input_tokens": 0,
    "output_tokens": 0,
    "total_tokens": 0,
}
ROW = {
    "status": "active", "error_message": None, "number": 3, "started_at": TIME, "completed_at": None,
    "duration_ms": None,
}  # fmt: skip
EXECUTION = {
    **ROW, **COUNTS, "execution_id": "e", "agent_name": "a", "agent_index": 0, "fallback_reason": None,
    "fallback_error_code": None, "fallback_attempt": None, "model_name": None,
}  # fmt: skip
STAGE = {**ROW, "id": "st", "stage_name": "look", "stage_index": 0, "number": 2}
SESSION = {
    **ROW, **COUNTS, "id": "s", "status": "in_progress", "final_analysis": None, "last_number": 5, "created_at": TIME,
    "alert_type": "a", "title": "", "severity": None, "source": "api", "chain_id": "c", "author": "ann",
    "priority": "normal", "scripted": True, "queue_position": None, "total_stages": 1, "has_parallel_stages": False,
    "provider_fallback_count": 0, "completed_stages": 0, "failed_stages": 0, "current_stage_index": None,
    "current_stage_id": None, "alert_data": "", "runbook_url": None, "mcp_selection": None,
}  # fmt: skip


def history(session: dict[str, Any], stage: dict[str, Any], *timeline: dict[str, Any]) -> History:
    """Of a timeline's answer, as it comes over the wire."""
    answer = {"last_number": 5, "session": {**SESSION, **session, "stages": [{**STAGE, **stage}]}, "timeline": timeline}
    return history_of(SessionHistory.model_validate_json(json.dumps(answer)))


def test_history_becomes_messages_with_the_sessions_status_last() -> None:
    event = {
        "id": "ev", "session_id": "s", "stage_id": "st", "execution_id": "e", "event_type": "llm_response",
        "status": "completed", "content": "Hi", "metadata": {}, "sequence_number": 50, "number": 5, "created_at": TIME,
        "updated_at": TIME,
    }  # fmt: skip

    found = history({}, {"executions": [EXECUTION]}, event)

    messages = [json.loads(one.text) for one in found.messages]
    assert [(one["type"], one["status"], one["number"]) for one in messages] == [
        ("stage.status", "started", 2),
        ("execution.status", "active", 3),
        ("timeline_event.created", "completed", 5),
        ("session.status", "in_progress", 5),
    ]
    assert all(one["session_id"] == "s" and one["timestamp"] == TIME for one in messages)
    assert not {"stage_type", "llm_provider"} & {name for one in messages for name in one}
    assert found.ended == {"ev"}
    assert not found.over


REPLYING = {"id": "re", "stage_type": "chat", "stage_index": 1, "executions": [EXECUTION]}
AT_REST = {"status": "completed", "completed_at": TIME}


@pytest.mark.parametrize("stage_type", STAGES_AFTER_THE_END)
def test_after_the_end_the_text_of_an_open_stage_streams(stage_type: str) -> None:
    """It is a reply, or another phase after the end."""
    feed, subscription = Feed(), Subscription()
    feed.chunk("s", LlmChunk(call_id="c", execution_id="e", run=1, index=0, part="text", text="Since"), NOW, 5)

    messages = subscription.begin(
        history(AT_REST, {**REPLYING, "stage_type": stage_type}), feed.list_running_calls("s")
    )

    assert [one.type for one in messages[-3:]] == ["session.status", "timeline_event.created", "stream.chunk"]
    assert (json.loads(messages[-3].text)["status"], json.loads(messages[-1].text)["delta"]) == ("completed", "Since")


@pytest.mark.parametrize(
    "stage",
    [{**REPLYING, "status": "completed", "executions": []}, {"stage_type": "investigation", "executions": []}],
    ids=["its reply has ended", "an operator ended it in the middle"],
)
def test_when_a_session_rests_nothing_of_it_streams(stage: dict[str, Any]) -> None:
    """The gateway began after its end, and reads old chunks again."""
    feed = Feed()
    feed.chunk("s", LlmChunk(call_id="c", execution_id="other", run=1, index=0, part="text", text="Since"), NOW, 5)

    messages = Subscription().begin(history(AT_REST, stage), feed.list_running_calls("s"))

    assert {one.type for one in messages} == {"stage.status", "session.status"}


def test_the_history_of_a_timeline_that_knows_more_is_told_with_it() -> None:
    """Of one that does not, the test above tells: while a newer gateway runs beside an older timeline."""
    agent = {"llm_provider": "claude", "original_llm_provider": "gemini", "iterations": 2, "forced_conclusion": False,
             "partial_reason": "full"}  # fmt: skip
    kind = {"stage_type": "synthesis", "expected_agent_count": 1, "referenced_stage_id": "first"}
    session = {"status": "pending", "executive_summary": "short", "started_at": None, "partial_reason": "A: full"}

    found = history(session, {**kind, "executions": [{**EXECUTION, **agent}]})

    told = [json.loads(one.text) for one in found.messages]
    assert {name: told[0][name] for name in kind} == kind
    assert {name: told[1][name] for name in agent} == agent
    assert (told[2]["status"], told[2]["executive_summary"], told[2]["timestamp"]) == ("pending", "short", TIME)
    assert told[2]["partial_reason"] == "A: full"


@pytest.mark.parametrize("unknown", [{"source": "pager"}, {"later_field": 1}])
def test_a_history_with_words_that_are_not_known_here_is_shown_all_the_same(unknown: dict[str, Any]) -> None:
    stage = {"stage_type": "debate", "executions": [{**EXECUTION, "controller": "oracle"}]}

    told = [json.loads(one.text) for one in history(unknown, stage).messages]

    assert (told[0]["stage_type"], told[1]["controller"]) == ("debate", "oracle")


def test_what_is_held_back_is_bounded() -> None:
    subscription = Subscription()
    for number in range(1, MOST_HELD + 2):
        subscription.offer(Outgoing("session.status", "{}", number))

    with pytest.raises(HeldTooMuchError):
        subscription.begin(History(), [])
