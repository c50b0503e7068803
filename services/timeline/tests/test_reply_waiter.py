"""Replies of owners, and those who wait for them."""

import asyncio
from datetime import UTC, datetime

import pytest
from opentelemetry.trace import NoOpTracer

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_contracts.messages.inputs import CancelRequested
from tarsy_contracts.wire.topics import Topics
from tarsy_timeline.api.requests import reply_waiter
from tarsy_timeline.api.requests.reply_waiter import ReplyWaiter
from tarsy_timeline.api.requests.session_commands import SessionCommands


async def test_who_waits_when_the_process_stops_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server that answers them ends a few seconds later, and would break them off with a 500."""
    reads, published = asyncio.Event(), asyncio.Event()

    async def follow_control(*arguments: object) -> None:
        reads.set()
        await asyncio.Event().wait()

    async def publish(*arguments: object, **more: object) -> None:
        published.set()

    monkeypatch.setattr(reply_waiter, "follow_control", follow_control)
    monkeypatch.setattr(Publisher, "publish", publish)
    bus = Bus(bootstrap="nowhere:1", topics=Topics(), client="test")
    replies = ReplyWaiter(bus)
    publisher = Publisher(bus, source="test", now=lambda: datetime.now(UTC))
    commands = SessionCommands(publisher, replies, 600.0, NoOpTracer())
    running = asyncio.create_task(replies.run(lambda: None, lambda: None))
    await reads.wait()
    async with asyncio.timeout(60):
        waiting = asyncio.create_task(commands.ask("s", "cancel", CancelRequested(request_id="r", author="ann")))
        await published.wait()
        running.cancel()
        assert await waiting is None
        assert await commands.ask("s", "cancel", CancelRequested(request_id="late", author="ann")) is None
