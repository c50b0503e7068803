"""A connection to one server that all calls share: the first call opens it, and the others wait for that."""

import asyncio
from collections.abc import Awaitable, Callable


class SharedConnection[T]:
    """`close` is called only where one was opened."""

    def __init__(self, close: Callable[[T], Awaitable[None]]) -> None:
        self._close = close
        self._opening = asyncio.Lock()
        self._connection: T | None = None

    async def get(self, open: Callable[[], Awaitable[T]]) -> T:
        """Where `open` fails, the next call tries again."""
        async with self._opening:
            if self._connection is None:
                self._connection = await open()
            return self._connection

    async def aclose(self) -> None:
        async with self._opening:
            if self._connection is not None:
                await self._close(self._connection)
