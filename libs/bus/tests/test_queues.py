"""Requests out of a queue, and what the owners tell, on a real Kafka."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
from bus_kafka import make_topic, read

from tarsy_bus.beside import beside
from tarsy_bus.connection import Bus
from tarsy_bus.controls import follow_control
from tarsy_bus.publisher import Publisher
from tarsy_bus.queues import take_requests
from tarsy_contracts.control import CallCancelled, ClaimGranted, Control
from tarsy_contracts.requests import ToolCallRequest

NOW = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)


@pytest.fixture
async def publisher(bare: Bus) -> AsyncIterator[Publisher]:
    await make_topic(bare, bare.topics.tool_calls)
    await make_topic(bare, bare.topics.control, 4)
    await make_topic(bare, bare.topics.dead_letters)
    async with Publisher(bare, source="test", now=lambda: NOW).running() as running:
        yield running


def request(call_id: str) -> ToolCallRequest:
    return ToolCallRequest(
        session_id="s",
        call_id=call_id,
        server="kubernetes",
        tool="pods_list",
        arguments={},
        repeatable=True,
        timeout_seconds=60,
        not_after=NOW,
    )


class Worker:
    """Takes requests until it has seen the last one."""

    def __init__(self, bus: Bus, publisher: Publisher) -> None:
        self._bus, self._publisher = bus, publisher
        self.taken: list[str] = []

    async def take_until(self, last: str) -> list[str]:
        """What it took, in order. The block ends in the midst of reading on, as a service does."""
        seen = asyncio.Event()

        async def hand_over(taken: ToolCallRequest) -> None:
            self.taken.append(taken.call_id)
            if taken.call_id == last:
                seen.set()

        taking = take_requests(
            self._bus,
            self._publisher,
            topic=self._bus.topics.tool_calls,
            group=f"{self._bus.topics.prefix}-workers",
            kind=ToolCallRequest,
            hand_over=hand_over,
        )
        async with asyncio.timeout(30), beside(taking):
            await seen.wait()
        return self.taken


async def test_requests_are_handed_over_in_order_and_what_cannot_be_read_is_buried(
    bare: Bus, publisher: Publisher
) -> None:
    queue = bare.topics.tool_calls
    await publisher.publish(queue, request("1"), key="1", id="1", subject="s")
    await publisher.write(queue, key=b"2", value=b"rubbish", headers=[])
    await publisher.publish(queue, CallCancelled(call_id="c"), key="3", id="3", subject="s")
    await publisher.publish(queue, request("4"), key="4", id="4", subject="s")
    assert await Worker(bare, publisher).take_until("4") == ["1", "4"]
    reasons = [dict(letter.headers)["dead-letter-reason"] for letter in await read(bare, bare.topics.dead_letters)]
    assert reasons == [b"header ce_specversion is missing", b"call.cancelled version 1"]


async def test_every_process_hears_what_is_told_from_when_it_listens(bare: Bus, publisher: Publisher) -> None:
    heard: list[Control] = []
    listening, enough = asyncio.Event(), asyncio.Event()

    def hear(told: Control) -> None:
        heard.append(told)
        if told == CallCancelled(call_id="last"):
            enough.set()

    control = bare.topics.control
    await publisher.publish(control, CallCancelled(call_id="before"), key="k", id="0", subject="s")
    async with asyncio.timeout(30), beside(follow_control(bare, hear, listening.set)):
        await listening.wait()
        granted = ClaimGranted(call_id="c", claim_id="x")
        await publisher.publish(control, granted, key="k", id="1", subject="s", partition=2)
        await publisher.write(control, key=b"k", value=b"rubbish", headers=[], partition=2)
        await publisher.publish(control, request("1"), key="k", id="2", subject="s", partition=2)
        await publisher.publish(control, CallCancelled(call_id="last"), key="k", id="3", subject="s", partition=2)
        await enough.wait()
    assert heard == [granted, CallCancelled(call_id="last")]
