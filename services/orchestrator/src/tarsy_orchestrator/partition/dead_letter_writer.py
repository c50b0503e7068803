"""Inputs on their way to the dead letters: beside the decisions, in order, until Kafka has them."""

import asyncio
from collections.abc import Callable

from tarsy_bus.dead_letters import bury_until_written
from tarsy_bus.following import Record
from tarsy_bus.publisher import Publisher


class DeadLetterWriter:
    """Of one partition. Bounded by the partition's backlog, which counts them."""

    def __init__(self, publisher: Publisher) -> None:
        self._publisher = publisher
        self._queue: asyncio.Queue[tuple[Record, str, Callable[[], None]]] = asyncio.Queue()

    @property
    def backlog(self) -> int:
        return self._queue.qsize()

    def put(self, record: Record, reason: str, done: Callable[[], None]) -> None:
        self._queue.put_nowait((record, reason, done))

    async def run(self) -> None:
        while True:
            record, reason, done = await self._queue.get()
            await bury_until_written(self._publisher, record, reason)
            done()
