"""A client that reads slowly: what waits for it is bounded, and streamed text is joined before it is dropped."""

import asyncio
import json

import pytest

from tarsy_websocket_gateway.client import JOINING_FROM, Client
from tarsy_websocket_gateway.outgoing import Outgoing, TextDelta


def message(text: str, event_id: str | None = None, type: str = "timeline_event.created") -> Outgoing:
    return Outgoing(type, text, 1, event_id)


def streamed(event_id: str, text: str, run: int = 1, index: int = 0) -> Outgoing:
    return TextDelta("s", event_id, run, index, text, "2026-11-24T10:00:00.000Z").outgoing()


def slow(most_bytes: int = 10_000_000) -> Client:
    client = Client(100, most_bytes)
    for number in range(JOINING_FROM):
        client.send([message(f"{number}")])
    return client


async def read_all(client: Client) -> list[str]:
    """What it gets once it reads."""
    found: list[str] = []
    try:
        async with asyncio.timeout(0):
            while True:
                found += await client.next()
    except TimeoutError:
        return found[JOINING_FROM:]


def test_a_client_that_does_not_read_is_dropped_by_what_waits_for_it() -> None:
    """A thousand places, each of which might hold a history of megabytes."""
    client = Client(1_000, most_bytes=1_000)
    client.send([message("x" * 600)])
    assert not client.overflowed.is_set()
    client.send([message("x" * 300), message("ü" * 150)])
    assert client.overflowed.is_set()


async def test_a_history_that_is_longer_than_what_may_wait_is_sent_alone() -> None:
    client = Client(1_000, most_bytes=1_000)
    for _ in range(3):
        client.send([message("x" * 5_000)])
        assert not client.overflowed.is_set()
        assert await client.next() == ["x" * 5_000]


@pytest.mark.parametrize("count", [3, 4])
def test_messages_are_counted_too(count: int) -> None:
    client = Client(3)
    for _ in range(count):
        client.send([message("x")])
    assert client.overflowed.is_set() == (count > 3)


async def test_who_keeps_up_gets_each_text_as_it_came() -> None:
    client = Client(100)
    texts = [streamed("a", "one "), streamed("a", "two")]
    for one in texts:
        client.send([one])
    assert [await client.next(), await client.next()] == [[texts[0].text], [texts[1].text]]


async def test_who_is_slow_gets_the_text_of_each_timeline_event_as_one() -> None:
    client = slow()
    for index in range(1_000):
        client.send([streamed("a", f"<{index}>", index=index)])
        client.send([streamed("b", f"({index})", index=index)])

    told = [json.loads(one) for one in await read_all(client)]

    assert not client.overflowed.is_set()
    assert [(one["event_id"], one["index"]) for one in told] == [("a", 999), ("b", 999)]
    assert told[0]["delta"] == "".join(f"<{index}>" for index in range(1_000))


async def test_a_newer_run_and_the_end_of_a_text_replace_what_waits_of_it() -> None:
    client = slow()
    client.send([streamed("a", "old"), streamed("b", "all of it")])
    client.send([message("reset", "a", "stream.reset"), streamed("a", "new", run=2)])
    client.send([streamed("a", "er", run=2, index=1), message("done", "b", "timeline_event.completed")])
    client.send([streamed("a", "!", run=2, index=2)])

    told = await read_all(client)

    assert told[0] == "reset"
    assert (json.loads(told[1])["delta"], json.loads(told[1])["run"]) == ("newer!", 2)
    assert told[2:] == ["done"]


async def test_text_is_not_put_before_another_message_of_its_timeline_event() -> None:
    client = slow()
    client.send([streamed("a", "one")])
    client.send([message("word", "a", "stream.progress")])
    client.send([streamed("a", "two")])

    told = await read_all(client)

    assert [json.loads(one)["delta"] if one.startswith("{") else one for one in told] == ["one", "word", "two"]


def test_joined_text_is_bounded_like_everything_else() -> None:
    client = slow(most_bytes=1_000)
    sent = 0
    while not client.overflowed.is_set():
        client.send([streamed("a", "x" * 100, index=sent)])
        sent += 1
    assert sent < 12


async def test_what_was_read_makes_room() -> None:
    client = Client(100, most_bytes=1_000)
    for index in range(50):
        client.send([streamed("a", "x" * 100, index=index), streamed("b", "x" * 100)])
        await client.next()
    assert not client.overflowed.is_set()
