"""A call tells now and then all that it has said: who begins to read in the middle shows no torn text."""

import json
import random
from datetime import UTC, datetime

import pytest

from tarsy_contracts.messages.chunks import Chunk, LlmChunk, TextSoFar
from tarsy_contracts.timeline.changes import llm_timeline_event_id
from tarsy_websocket_gateway.messages.feed import Feed
from tarsy_websocket_gateway.messages.outgoing import Outgoing, TextDelta, join_deltas
from tarsy_websocket_gateway.messages.watched_steps import WatchedSteps

NOW = datetime(2026, 11, 30, tzinfo=UTC)
TEXT = llm_timeline_event_id("call", "text")


def chunk(index: int, *, run: int = 1) -> LlmChunk:
    return LlmChunk(call_id="call", execution_id="exec", run=run, index=index, part="text", text=f"<{run}.{index}>")


def said(index: int, *, run: int = 1) -> str:
    return "".join(chunk(one, run=run).text for one in range(index + 1))


def so_far(index: int, *, run: int = 1) -> TextSoFar:
    return TextSoFar(call_id="call", execution_id="exec", run=run, index=index, text=said(index, run=run))


class Reader:
    """What a client shows, of a feed that reads as StreamReader does."""

    def __init__(self) -> None:
        self.feed = Feed()
        self.shown = ""

    def read(self, *chunks: Chunk, replayed: bool = False) -> "Reader":
        for one in chunks:
            self.show(self.feed.chunk("s", one, NOW, 7, replayed=replayed))
        return self

    def catch_up(self) -> "Reader":
        self.show(self.feed.tell_caught_up("s"))
        return self

    def show(self, parts: list[Outgoing | TextDelta]) -> None:
        for one in join_deltas(parts):
            told = json.loads(one.text)
            if told["type"] == "stream.reset":
                self.shown = ""
            self.shown += told.get("delta", "")


def test_who_begins_in_the_middle_gets_all_that_was_said_and_the_live_end() -> None:
    reader = Reader().read(chunk(7), chunk(8), so_far(8), chunk(9), replayed=True).catch_up()
    assert reader.shown == said(9)
    assert reader.feed.knows_beginnings("s")
    assert reader.read(chunk(10), so_far(10), chunk(11)).shown == said(11)


def test_a_text_whose_beginning_nobody_has_told_yet_is_not_shown() -> None:
    reader = Reader().read(chunk(7), replayed=True).catch_up().read(chunk(8))
    assert reader.shown == ""
    assert not reader.feed.knows_beginnings("s")
    assert reader.feed.take_torn_sessions() == {"s"}
    assert reader.read(so_far(8), chunk(9)).shown == said(9)


def test_parts_of_a_call_are_told_each_for_itself() -> None:
    reader = Reader().read(TextSoFar(call_id="call", execution_id="exec", run=1, index=3, thinking="Hm.", text="So."))
    (call,) = reader.feed.list_running_calls("s")
    texts = {part.event_type: "".join(part.pieces) for part in call.parts.values()}
    assert texts == {"llm_thinking": "Hm.", "llm_response": "So."}


def test_a_chunk_that_was_lost_is_made_good() -> None:
    assert Reader().read(chunk(0), chunk(2), so_far(2), chunk(3)).shown == said(3)


def test_of_an_older_run_nothing_is_told() -> None:
    assert Reader().read(chunk(0, run=2), so_far(7, run=1), chunk(1, run=2)).shown == said(1, run=2)


def test_a_newer_run_replaces_what_the_older_one_had_said() -> None:
    assert Reader().read(so_far(7), so_far(1, run=2), chunk(2, run=2)).shown == said(2, run=2)


def test_of_a_call_that_has_ended_nothing_is_told() -> None:
    reader = Reader()
    reader.feed.begin("s", WatchedSteps(), frozenset({TEXT}))
    assert reader.read(so_far(7), chunk(8)).shown == ""


def test_a_writer_that_does_not_tell_it_is_read_from_the_beginning() -> None:
    reader = Reader().read(chunk(7), chunk(8), replayed=True).catch_up()
    reader.feed.rewind("s")
    reader.read(*(chunk(index) for index in range(10)), replayed=True)
    assert reader.catch_up().shown == said(9)


def test_where_nobody_has_the_beginning_any_longer_the_rest_is_shown() -> None:
    reader = Reader().read(chunk(7), chunk(8), replayed=True).catch_up()
    reader.feed.rewind("s")
    reader.read(chunk(7), chunk(8), replayed=True)
    reader.feed.give_up_beginnings("s")
    assert reader.catch_up().read(chunk(9)).shown == "<1.7><1.8><1.9>"


@pytest.mark.parametrize("seed", range(300))
def test_at_every_moment_a_beginning_of_the_text_is_shown_and_in_the_end_all_of_it(seed: int) -> None:
    """Wherever a reader begins."""
    draw = random.Random(seed)
    records: list[Chunk] = []
    lengths = {run: draw.randrange(1, 20) for run in range(1, draw.randrange(2, 4))}
    for run, length in lengths.items():
        for index in range(length):
            records.append(chunk(index, run=run))
            if draw.random() < 0.3:
                records.append(so_far(index, run=run))
    last_run, last = max(lengths), lengths[max(lengths)] - 1
    records.append(so_far(last, run=last_run))
    start, live = sorted(draw.randrange(len(records)) for _ in range(2))
    reader = Reader()
    for at, record in enumerate(records[start:], start):
        reader.read(record, replayed=at < live)
        if at == live:
            reader.catch_up()
        assert any(said(length - 1, run=run).startswith(reader.shown) for run, length in lengths.items())
    assert reader.shown == said(last, run=last_run)
