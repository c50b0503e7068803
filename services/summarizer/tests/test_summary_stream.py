"""The stream of a summary: chunks are only to look at, and nothing waits for long for them."""

import asyncio
from datetime import UTC, datetime

from summary_owner import summary

from tarsy_bus.client.chunk_sender import ChunkSender
from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_contracts.wire.topics import Topics
from tarsy_masking.masker import Masker
from tarsy_summarizer.summary_stream import SummaryStream


async def test_a_summary_does_not_wait_for_chunks_that_cannot_be_written() -> None:
    """In an outage of Kafka it had its time, and the answer of the model, used up by what only shows it."""
    bus = Bus(bootstrap="nowhere:1", topics=Topics(), client="test")
    nobody_sends = ChunkSender(Publisher(bus, source="test", now=lambda: datetime.now(UTC)))
    masker = Masker.default().for_session("session")
    stream = SummaryStream(nobody_sends, summary(), masker.stream(), run=1)
    async with asyncio.timeout(60):
        await stream.take("The pod restarts since it has no memory left. " * 20)
        await stream.finish()
