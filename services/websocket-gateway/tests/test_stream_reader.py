"""Streamed text is published in the order in which it was taken, also beside what others publish of the log."""

import asyncio

import pytest
from aiokafka import ConsumerRecord
from prometheus_client import CollectorRegistry

from tarsy_bus import pacing
from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.partition_reader import Record
from tarsy_contracts.wire.topics import Topics
from tarsy_websocket_gateway.messages.feed import Feed
from tarsy_websocket_gateway.messages.outgoing import Outgoing, TextDelta
from tarsy_websocket_gateway.metrics import Metrics
from tarsy_websocket_gateway.streams.stream_reader import StreamReader


class CountingReader(StreamReader):
    """Makes a message of each record."""

    taken, published = 0, 0

    def _take_chunk(self, record: Record, found: dict[str, list[Outgoing | TextDelta]]) -> bool:
        self.taken += 1
        found.setdefault("s", []).append(Outgoing("stream.chunk", f"{self.taken}"))
        return True

    def count(self, session_id: str, messages: list[Outgoing]) -> None:
        self.published += len(messages)


async def test_nothing_is_kept_back_while_others_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the end of a call is told, or its text sent to who comes, before the text that was taken already."""
    monkeypatch.setattr(pacing, "TURN_SECONDS", 0.0)
    bus = Bus(bootstrap="nowhere:0", topics=Topics("t"), client="test")
    reader = CountingReader(bus, Feed(), lambda *told: reader.count(*told), Metrics(CollectorRegistry()))
    kept_back: list[int] = []

    async def look() -> None:
        while True:
            kept_back.append(reader.taken - reader.published)
            await asyncio.sleep(0)

    looking = asyncio.create_task(look())
    await reader.show([ConsumerRecord("t", 0, at, 0, 0, None, b"", None, 0, 0, ()) for at in range(5)])
    looking.cancel()
    assert reader.published == 5
    assert len(kept_back) >= 4
    assert set(kept_back) == {0}
