"""Chunks of many calls: the first at once, the others together, in order, within bounds. In time of its own."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Sequence, Set
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import cast

import pytest

from tarsy_bus.client.chunk_feed import ChunkFeed, MaskText, pass_masked
from tarsy_bus.client.chunk_sender import (
    LEAST_INTERVAL_SECONDS,
    LONGEST_INTERVAL_SECONDS,
    MOST_UNSENT,
    ChunkSender,
)
from tarsy_bus.client.publisher import Addressed, NotWrittenError, Publisher
from tarsy_bus.errors import BusError
from tarsy_contracts.messages.chunks import MOST_SO_FAR, SO_FAR_SECONDS, LlmChunk, TextSoFar


@dataclass
class Written:
    at: float
    key: str
    chunk: LlmChunk


@dataclass
class World:
    """A clock that only pauses and writes move, and a Kafka that takes its time or fails when it is told to."""

    now: float = 100.0
    write_seconds: float = 0.0
    written: list[Written] = field(default_factory=list)
    told: list[Addressed] = field(default_factory=list)
    may_write: asyncio.Event = field(default_factory=asyncio.Event)
    may_acknowledge: asyncio.Event = field(default_factory=asyncio.Event)
    failing: dict[str, BusError] = field(default_factory=dict)
    topics: object = field(default_factory=lambda: SimpleNamespace(stream="stream"))

    async def begin_batches(self, topic: str, messages: Sequence[Addressed]) -> Awaitable[list[BusError]]:
        await self.may_write.wait()
        for one in messages:
            if isinstance(one.message, TextSoFar):
                self.told.append(one)
            elif one.key not in self.failing:
                self.written.append(Written(self.now, one.key, cast("LlmChunk", one.message)))
        self.now += self.write_seconds
        return self._acknowledge({one.key for one in messages})

    async def _acknowledge(self, keys: Set[str]) -> list[BusError]:
        await self.may_acknowledge.wait()
        return [self.failing[key] for key in sorted(keys & self.failing.keys())]

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)

    def texts(self, key: str) -> list[str]:
        return [one.chunk.text for one in self.written if one.key == key]


@asynccontextmanager
async def sending() -> AsyncIterator[tuple[World, ChunkSender]]:
    world = World()
    world.may_write.set()
    world.may_acknowledge.set()
    sender = ChunkSender(cast("Publisher", world), lambda: world.now, world.sleep)
    task = asyncio.create_task(sender.run())
    try:
        yield world, sender
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def feed_of(session: str, mask: MaskText = pass_masked) -> ChunkFeed:
    def make(index: int, part: str, text: str) -> LlmChunk:
        kind = "thinking" if part == "thinking" else "text"
        return LlmChunk(call_id=session, execution_id="e", run=1, index=index, part=kind, text=text)

    return ChunkFeed(session, make, mask)


async def test_the_first_chunk_goes_at_once_and_what_follows_one_interval_later_in_one_record() -> None:
    async with sending() as (world, sender):
        feed = feed_of("a")
        await sender.put(feed, "text", "one ")
        await sender.until_sent(feed)
        for word in ("two ", "three "):
            await sender.put(feed, "text", word)
        await sender.until_sent(feed)
    assert [(one.at, one.chunk.text) for one in world.written] == [
        (100.0, "one "),
        (100.0 + LEAST_INTERVAL_SECONDS, "two three "),
    ]


@pytest.mark.parametrize(
    ("write_seconds", "interval"), [(0.001, LEAST_INTERVAL_SECONDS), (0.006, 0.024), (0.03, LONGEST_INTERVAL_SECONDS)]
)
async def test_the_interval_grows_with_what_a_request_takes_up_to_a_limit(
    write_seconds: float, interval: float
) -> None:
    async with sending() as (world, sender):
        world.write_seconds = write_seconds
        feed = feed_of("a")
        for word in ("one ", "two "):
            await sender.put(feed, "text", word)
            await sender.until_sent(feed)
    assert [one.at for one in world.written] == pytest.approx([100.0, 100.0 + interval])


async def test_text_is_masked_when_it_is_sent_all_that_has_gathered_at_once() -> None:
    masked: list[str] = []

    def mask(part: str, text: str) -> list[tuple[str, str]]:
        masked.append(text)
        return [(part, text.replace("secret", "***")), ("thinking", "")]

    async with sending() as (world, sender):
        feed = feed_of("a", mask)
        for piece in ("a se", "cret ", "word "):
            await sender.put(feed, "text", piece)
        await sender.until_sent(feed)
        await sender.put(feed, "text", "dropped")
        sender.drop(feed)
        await sender.until_sent(feed)
    assert masked == ["a secret word "]
    assert [(one.chunk.index, one.chunk.text) for one in world.written] == [(0, "a *** word ")]


async def test_all_calls_go_together() -> None:
    async with sending() as (world, sender):
        feeds = [feed_of(str(number)) for number in range(20)]
        for feed in feeds:
            await sender.put(feed, "text", "word ")
        await asyncio.gather(*map(sender.until_sent, feeds))
    assert {one.at for one in world.written} == {100.0}
    assert len(world.written) == 20


async def test_chunks_of_a_call_are_numbered_in_order_and_parts_stay_apart() -> None:
    async with sending() as (world, sender):
        feed = feed_of("a")
        for part, text in (("thinking", "a"), ("thinking", "b"), ("text", "c"), ("thinking", "d")):
            await sender.put(feed, part, text)
        await sender.until_sent(feed)
    chunks = [(one.chunk.index, one.chunk.part, one.chunk.text) for one in world.written]
    assert chunks == [(0, "thinking", "ab"), (1, "text", "c"), (2, "thinking", "d")]


async def test_text_gathers_while_kafka_takes_its_time_and_beyond_a_bound_the_model_waits() -> None:
    async with sending() as (world, sender):
        world.may_write.clear()
        feed = feed_of("a")
        await sender.put(feed, "text", "first ")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        await sender.put(feed, "text", "x" * MOST_UNSENT)
        beyond = asyncio.create_task(sender.put(feed, "text", "beyond"))
        for _ in range(10):
            await asyncio.sleep(0)
        assert not beyond.done()
        world.may_write.set()
        await beyond
        await sender.until_sent(feed)
    assert "".join(world.texts("a")) == f"first {'x' * MOST_UNSENT}beyond"


async def test_what_was_dropped_is_not_sent_and_makes_room() -> None:
    async with sending() as (world, sender):
        world.may_write.clear()
        ended, other = feed_of("ended"), feed_of("other")
        await sender.put(other, "text", "first ")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        await sender.put(ended, "text", "x" * MOST_UNSENT)
        beyond = asyncio.create_task(sender.put(other, "text", "second"))
        await asyncio.sleep(0)
        sender.drop(ended)
        await beyond
        world.may_write.set()
        await sender.until_sent(other)
    assert (world.texts("ended"), world.texts("other")) == ([], ["first ", "second"])


async def test_a_round_does_not_wait_for_the_acknowledgement_of_the_one_before() -> None:
    async with sending() as (world, sender):
        world.may_acknowledge.clear()
        feed = feed_of("a")
        for word in ("one ", "two ", "three "):
            await sender.put(feed, "text", word)
            for _ in range(10):
                await asyncio.sleep(0)
        written = world.texts("a")
        sent = asyncio.create_task(sender.until_sent(feed))
        await asyncio.sleep(0)
        assert not sent.done()
        world.may_acknowledge.set()
        await sent
    assert written == ["one ", "two ", "three "]


async def test_a_chunk_that_kafka_does_not_take_is_left_out_alone() -> None:
    async with sending() as (world, sender):
        world.failing["a"] = NotWrittenError("away")
        failing, other = feed_of("a"), feed_of("b")
        await sender.put(failing, "text", "lost ")
        await sender.put(other, "text", "kept ")
        await asyncio.gather(sender.until_sent(failing), sender.until_sent(other))
        del world.failing["a"]
        await sender.put(failing, "text", "goes on")
        await sender.until_sent(failing)
    assert (world.texts("a"), world.texts("b")) == (["goes on"], ["kept "])
    assert world.written[-1].chunk.index == 1


async def test_a_mistake_of_ours_in_one_call_is_not_that_of_others() -> None:
    def broken(part: str, text: str) -> list[tuple[str, str]]:
        raise LookupError

    async with sending() as (world, sender):
        failing, other = feed_of("a", broken), feed_of("b")
        await sender.put(failing, "text", "lost ")
        await sender.put(other, "text", "kept ")
        await asyncio.gather(sender.until_sent(failing), sender.until_sent(other))
    assert (world.texts("a"), world.texts("b")) == ([], ["kept "])


async def test_a_running_call_tells_all_that_it_has_said_now_and_then_also_while_it_is_silent() -> None:
    async with sending() as (world, sender):
        feed = feed_of("a")
        for part, text in (("thinking", "Hm. "), ("text", "I look"), ("thinking", "What? ")):
            await sender.put(feed, part, text)
        await sender.until_sent(feed)
        world.now += SO_FAR_SECONDS
        await sender.put(feed, "text", " closer.")
        await sender.until_sent(feed)
        told = [one for one in world.told if one.key == "a"]
        assert [one.message for one in told] == [
            TextSoFar(call_id="a", execution_id="e", run=1, index=3, thinking="Hm. What? ", text="I look closer.")
        ]
        world.now += SO_FAR_SECONDS
        other = feed_of("b")
        await sender.put(other, "text", "wakes the sender")
        await sender.until_sent(other)
        assert len([one for one in world.told if one.key == "a"]) == 2


async def test_a_call_that_has_said_nothing_too_much_or_its_last_word_tells_nothing_more() -> None:
    async with sending() as (world, sender):
        silent, long, ended = feed_of("silent", lambda _part, _text: ()), feed_of("long"), feed_of("ended")
        for feed, text in ((silent, "held"), (long, "x" * (MOST_SO_FAR + 1)), (ended, "end")):
            await sender.put(feed, "text", text)
            await sender.until_sent(feed)
        sender.drop(ended)
        world.now += SO_FAR_SECONDS
        last = feed_of("last")
        await sender.put(last, "text", "wakes the sender")
        await sender.until_sent(last)
    assert world.told == []
