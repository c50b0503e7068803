"""Dead-letter writer of a partition: inputs in their order, beside the decisions, until Kafka has them."""

import asyncio
from collections.abc import Callable

from tarsy_bus.client.publisher import Publisher
from tarsy_bus.dead_letters.burial import dead_letter_until_written
from tarsy_bus.readers.partition_reader import Record


class DeadLetterWriter:
    """Its queue has no bound of its own: the partition's backlog counts it."""

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
            await dead_letter_until_written(self._publisher, record, reason)
            done()
