"""Memory budget: bounds how many characters are in work at once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class MemoryBudget:
    """Admits `most` characters at a time, in the order in which they come. A larger text is admitted alone."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken = 0
        self._turn = asyncio.Lock()
        self._freed = asyncio.Event()

    @asynccontextmanager
    async def of(self, size: int) -> AsyncIterator[None]:
        async with self._turn:
            while self._taken and self._taken + size > self._most:
                self._freed.clear()
                await self._freed.wait()
            self._taken += size
        try:
            yield
        finally:
            self._taken -= size
            self._freed.set()
