"""Given an investigation that ended, when a person asks, then clients are told of the question and its reply."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from tarsy_contracts.messages.chunks import LlmChunk
from tarsy_contracts.timeline.changes import llm_timeline_event_id
from tarsy_contracts.timeline.display import LIMIT_BYTES
from tarsy_contracts.wire.ids import chat_id
from tarsy_testing.story.live_messages import PROGRESS
from tarsy_testing.story.reply import Exchange
from tarsy_websocket_gateway.messages.feed import Feed
from tarsy_websocket_gateway.messages.outgoing import join_deltas

type Story = Callable[[], Any]
type Message = dict[str, Any]

LAST = 13
NOW = datetime(2026, 11, 22, tzinfo=UTC)


def live(session: Any, feed: Feed, *, since: int = LAST) -> list[Message]:
    numbers = range(since + 1, len(session.records) + 1)
    told = [one for number in numbers for one in feed.event(session.recorded(number)) if one.type not in PROGRESS]
    return [json.loads(one.text) for one in told]


def answering(exchange: Exchange, index: int, text: str) -> LlmChunk:
    call = exchange.llm_call_id(2)
    return LlmChunk(call_id=call, execution_id=exchange.execution_id, run=1, index=index, part="text", text=text)


def test_the_first_question_makes_the_chat_and_each_is_told_with_the_stages_of_its_reply(story: Story) -> None:
    session, feed = story(), Feed()
    first, second = Exchange(session.id), Exchange(session.id, number=2, stage=3, author="bob", content="And now?")
    session.add(*first.whole(), *second.begun())

    messages = live(session, feed)

    reply = [
        ("chat.user_message", None),
        ("timeline_event.created", "completed"),
        ("stage.status", "started"),
        ("execution.status", "active"),
    ]
    assert [(one["type"], one.get("status")) for one in messages] == [
        ("chat.created", None),
        *reply,
        ("timeline_event.created", "completed"),
        ("timeline_event.created", "streaming"),
        ("timeline_event.completed", "completed"),
        ("timeline_event.created", "completed"),
        ("timeline_event.created", "completed"),
        ("execution.status", "completed"),
        ("stage.status", "completed"),
        *reply,
    ]
    begun, asked = messages[0], messages[1]
    assert (begun["chat_id"], begun["created_by"], begun["number"]) == (chat_id(session.id), "ann", 16)
    names = ("chat_id", "message_id", "stage_id", "author", "content", "session_id", "number")
    assert [asked[name] for name in names] == [
        chat_id(session.id), first.message_id, first.stage_id, "ann", "Since when?", session.id, 16
    ]  # fmt: skip
    shown, stage = messages[2], messages[3]
    assert (shown["event_type"], shown["content"], shown["execution_id"]) == ("user_question", "Since when?", None)
    assert shown["metadata"] == {"author": "ann", "message_id": first.message_id, "stage_id": first.stage_id}
    assert (stage["stage_id"], stage["stage_type"], stage["stage_index"]) == (first.stage_id, "chat", 2)
    assert messages[-4]["content"] == "And now?"
    assert "session.status" not in {one["type"] for one in messages}, "the session stays as it ended"


def test_a_long_question_is_told_as_far_as_it_is_shown(story: Story) -> None:
    session = story()
    session.add(*Exchange(session.id, content="\N{FIRE}" * 100_000).asked())

    _, asked, shown, _ = live(session, Feed())

    assert asked["content"] == shown["content"] == "\N{FIRE}" * (LIMIT_BYTES // 4)
    assert shown["metadata"]["display_cut"] is True


def test_what_streams_of_a_reply_is_completed_by_the_log(story: Story) -> None:
    session, feed = story(), Feed()
    live(session, feed, since=0)
    exchange = Exchange(session.id)
    session.add(*exchange.begun(), *exchange.looked())
    live(session, feed)
    event_id = llm_timeline_event_id(exchange.llm_call_id(2), "text")

    streamed = join_deltas(feed.chunk(session.id, answering(exchange, 0, "Since"), NOW, len(session.records)))
    session.add(*exchange.answered())
    ended = live(session, feed, since=len(session.records) - 4)

    assert [one.type for one in streamed] == ["timeline_event.created", "stream.chunk"]
    assert (ended[0]["type"], ended[0]["event_id"], ended[0]["content"]) == (
        "timeline_event.completed", event_id, exchange.answer
    )  # fmt: skip
    assert feed.list_running_calls(session.id) == []
    assert join_deltas(feed.chunk(session.id, answering(exchange, 1, " 03"), NOW, len(session.records))) == []


@pytest.mark.parametrize("status", ["cancelled", "timed_out", "failed"])
def test_a_reply_that_comes_to_nothing_takes_back_what_streamed(story: Story, status: Any) -> None:
    session, feed = story(), Feed()
    exchange = Exchange(session.id)
    session.add(*exchange.begun(), *exchange.looked())
    live(session, feed, since=0)
    join_deltas(feed.chunk(session.id, answering(exchange, 0, "Since"), NOW, len(session.records)))
    session.add(*exchange.ended(status, "why"))

    ended = live(session, feed, since=len(session.records) - 3)

    assert [(one["type"], one["status"]) for one in ended] == [
        ("execution.status", status),
        ("timeline_event.completed", "failed"),
        ("stage.status", status),
    ]
    assert (ended[1]["metadata"], ended[2]["error_message"]) == ({"discarded": True}, "why")
    assert feed.list_running_calls(session.id) == []
