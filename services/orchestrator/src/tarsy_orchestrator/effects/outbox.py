"""Outbox of a partition: requests, control, inputs to itself. In order, and bounded."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from tarsy_bus.client.publisher import NotWrittenError, TooLargeError

log = structlog.get_logger(__name__)

WAITING_AT_MOST = 2_000

type Send = Callable[[], Awaitable[object]]


class Outbox:
    """Losses are repaired: the owner's clock repeats requests; grants and answers are sent again when asked again."""

    def __init__(self, dropped: Callable[[], None]) -> None:
        """`dropped` is called for each message that found no room."""
        self._dropped = dropped
        self._queue: asyncio.Queue[Send] = asyncio.Queue(WAITING_AT_MOST)

    def put(self, send: Send) -> None:
        try:
            self._queue.put_nowait(send)
        except asyncio.QueueFull:
            self._dropped()
            log.warning("outbox.full", waiting=self._queue.qsize())

    async def run(self) -> None:
        while True:
            send = await self._queue.get()
            try:
                await send()
            except (NotWrittenError, TooLargeError) as problem:
                log.warning("outbox.not_written", reason=str(problem))
