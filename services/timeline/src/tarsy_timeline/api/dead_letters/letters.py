"""Dead letters as the API reads them. Reads and keeps nothing before the first request."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager

from aiokafka.errors import KafkaError

from tarsy_bus.client.connection import Bus
from tarsy_bus.dead_letters.letter_index import DeadLetter, DeadLetterIndex
from tarsy_bus.readers.at_offsets import RecordsGoneError, records_at
from tarsy_bus.readers.partition_reader import Record
from tarsy_service.http.problems import ProblemError

READ_SECONDS = 25.0
"""A first read of 100,000 letters takes some seconds; where it takes longer, the next request goes on with it."""
UNREACHABLE = "Kafka does not answer. Try again in a few seconds."
STILL_READING = "The dead letters have not been read to their end yet. Try again: reading goes on where it stopped."
NO_LETTER = "There is no such dead letter, or it is no longer kept."


class Letters:
    """`cluster` asks Kafka for its id, which is part of each letter's. One request at a time reads."""

    def __init__(self, bus: Bus, cluster: Callable[[], Awaitable[str]]) -> None:
        self._bus = bus
        self._cluster = cluster
        self._index: DeadLetterIndex | None = None
        self._lock = asyncio.Lock()

    async def read(self) -> DeadLetterIndex:
        """All letters, up to the end of the topic as it is now. Raises ProblemError."""
        async with _within_read_limit(STILL_READING), self._lock:
            if self._index is None:
                self._index = DeadLetterIndex(await self._cluster())
            await self._index.refresh(self._bus)
            return self._index

    async def find(self, id: str) -> tuple[DeadLetterIndex, DeadLetter]:
        """Raises ProblemError."""
        index = await self.read()
        letter = index.get(id)
        if letter is None:
            raise ProblemError(404, "Not Found", NO_LETTER)
        return index, letter

    async def record_of(self, letter: DeadLetter) -> Record:
        """The bytes of the original: those of the first burial that is kept. Raises ProblemError."""
        first, topic = letter.first, self._bus.topics.dead_letters
        async with _within_read_limit(UNREACHABLE):
            try:
                async with aclosing(records_at(self._bus, topic, first.partition, [first.offset])) as found:
                    return await anext(found)
            except RecordsGoneError as problem:
                raise ProblemError(404, "Not Found", NO_LETTER) from problem


@asynccontextmanager
async def _within_read_limit(too_late: str) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(READ_SECONDS):
            yield
    except TimeoutError as problem:
        raise ProblemError(503, "Service unavailable", too_late) from problem
    except KafkaError as problem:
        raise ProblemError(503, "Service unavailable", UNREACHABLE) from problem
