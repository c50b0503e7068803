"""A client that reads slowly: what waits for it is bounded, and streamed text is joined before it is dropped."""

import asyncio
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from tarsy_websocket_gateway.clients.client import JOINING_FROM, Client
from tarsy_websocket_gateway.messages.outgoing import Outgoing, TextDelta

WAIT_SECONDS = 90.0


def message(text: str, event_id: str | None = None, type: str = "timeline_event.created") -> Outgoing:
    return Outgoing(type, text, 1, event_id)


def streamed(event_id: str, text: str, run: int = 1, index: int = 0) -> Outgoing:
    return TextDelta("s", event_id, run, index, text, datetime(2026, 11, 24, 10, tzinfo=UTC)).to_outgoing()


def slow(socket: Any, most_bytes: int = 10_000_000) -> Client:
    client = Client(socket, 100, most_bytes)
    for number in range(JOINING_FROM):
        client.send([message(f"{number}")])
    return client


async def read_all(client: Client, socket: Any) -> list[str]:
    """What a slow client gets once it reads."""
    socket.reads.set()
    client.send([message("the last")])
    async with asyncio.timeout(WAIT_SECONDS), asyncio.TaskGroup() as group:
        writing = group.create_task(client.run())
        while socket.texts[-1:] != ["the last"]:
            socket.written.clear()
            await socket.written.wait()
        writing.cancel()
    found: list[str] = socket.texts[JOINING_FROM:-1]
    return found


def test_a_client_that_does_not_read_is_dropped_by_what_waits_for_it(socket: Any) -> None:
    """A thousand places, each of which might hold a history of megabytes."""
    client = Client(socket, 1_000, most_bytes=1_000)
    client.send([message("x" * 600)])
    assert not client.overflowed.is_set()
    client.send([message("x" * 300), message("ü" * 150)])
    assert client.overflowed.is_set()


def test_a_history_that_is_longer_than_what_may_wait_waits_alone(socket: Any) -> None:
    client = Client(socket, 1_000, most_bytes=1_000)
    client.send([message("x" * 5_000)])
    assert not client.overflowed.is_set()
    client.send([message("x")])
    assert client.overflowed.is_set()


@pytest.mark.parametrize("count", [3, 4])
def test_messages_are_counted_too(socket: Any, count: int) -> None:
    client = Client(socket, 3)
    for _ in range(count):
        client.send([message("x")])
    assert client.overflowed.is_set() == (count > 3)


def test_who_keeps_up_gets_each_text_as_it_came_and_at_once(socket: Any) -> None:
    socket.reads.set()
    sent: list[int] = []
    client = Client(socket, 100, sent=sent.append)
    texts = [streamed("a", "one "), streamed("a", "two")]
    for one in texts:
        client.send([one])
    client.send([message("3"), message("4")])
    assert socket.texts == [texts[0].text, texts[1].text, "3", "4"]
    assert sent == [1, 1, 2]


async def test_who_reads_again_gets_what_waits_before_what_comes(socket: Any) -> None:
    client = slow(socket)
    socket.reads.set()
    client.send([message("after")])
    assert socket.texts == []
    assert await read_all(client, socket) == ["after"]
    client.send([message("at once")])
    assert socket.texts[-1] == "at once"


async def test_who_is_slow_gets_the_text_of_each_timeline_event_as_one(socket: Any) -> None:
    client = slow(socket)
    for index in range(1_000):
        client.send([streamed("a", f"<{index}>", index=index)])
        client.send([streamed("b", f"({index})", index=index)])

    told = [json.loads(one) for one in await read_all(client, socket)]

    assert not client.overflowed.is_set()
    assert [(one["event_id"], one["index"]) for one in told] == [("a", 999), ("b", 999)]
    assert told[0]["delta"] == "".join(f"<{index}>" for index in range(1_000))


async def test_a_newer_run_and_the_end_of_a_text_replace_what_waits_of_it(socket: Any) -> None:
    client = slow(socket)
    client.send([streamed("a", "old"), streamed("b", "all of it")])
    client.send([message("reset", "a", "stream.reset"), streamed("a", "new", run=2)])
    client.send([streamed("a", "er", run=2, index=1), message("done", "b", "timeline_event.completed")])
    client.send([streamed("a", "!", run=2, index=2)])

    told = await read_all(client, socket)

    assert told[0] == "reset"
    assert (json.loads(told[1])["delta"], json.loads(told[1])["run"]) == ("newer!", 2)
    assert told[2:] == ["done"]


async def test_text_is_not_put_before_another_message_of_its_timeline_event(socket: Any) -> None:
    client = slow(socket)
    client.send([streamed("a", "one")])
    client.send([message("word", "a", "stream.progress")])
    client.send([streamed("a", "two")])

    told = await read_all(client, socket)

    assert [json.loads(one)["delta"] if one.startswith("{") else one for one in told] == ["one", "word", "two"]


def test_joined_text_is_bounded_like_everything_else(socket: Any) -> None:
    client = slow(socket, most_bytes=1_000)
    sent = 0
    while not client.overflowed.is_set():
        client.send([streamed("a", "x" * 100, index=sent)])
        sent += 1
    assert sent < 12


async def test_what_was_read_makes_room(socket: Any) -> None:
    client = Client(socket, 100, most_bytes=1_000)
    async with asyncio.timeout(WAIT_SECONDS), asyncio.TaskGroup() as group:
        writing = group.create_task(client.run())
        for index in range(50):
            socket.reads.clear()
            client.send([streamed("a", "x" * 100, index=index), streamed("b", "x" * 100)])
            socket.written.clear()
            socket.reads.set()
            await socket.written.wait()
        writing.cancel()
    assert not client.overflowed.is_set()
