"""Cache of runbooks: many alerts of one incident share theirs."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from tarsy_tool_gateway.tool_servers import ToolOutput

MOST_ENTRIES = 256
MOST_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class CacheEntry:
    output: ToolOutput
    size: int
    until: float


class RunbookCache:
    """Only runbooks are kept, no refusals. A request for one that is being fetched waits for that answer."""

    def __init__(
        self,
        seconds: float,
        *,
        clock: Callable[[], float],
        most_entries: int = MOST_ENTRIES,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._seconds = seconds
        self._clock = clock
        self._most_entries = most_entries
        self._most_bytes = most_bytes
        self._kept: OrderedDict[str, CacheEntry] = OrderedDict()
        self._size = 0
        self._fetching: dict[str, asyncio.Future[ToolOutput | None]] = {}

    async def get(self, key: str, fetch: Callable[[], Awaitable[ToolOutput]]) -> ToolOutput:
        while True:
            kept = self._get_fresh(key)
            if kept is not None:
                return kept
            fetching = self._fetching.get(key)
            if fetching is None:
                return await self._fetch_and_share(key, fetch)
            output = await asyncio.shield(fetching)
            if output is not None:
                return output

    async def _fetch_and_share(self, key: str, fetch: Callable[[], Awaitable[ToolOutput]]) -> ToolOutput:
        """In the task of who came first. When that one is cancelled, the next of those that wait takes over."""
        self._fetching[key] = answer = asyncio.get_running_loop().create_future()
        try:
            output = await fetch()
            self._keep_output(key, output)
            answer.set_result(output)
            return output
        finally:
            del self._fetching[key]
            if not answer.done():
                answer.set_result(None)

    def _get_fresh(self, key: str) -> ToolOutput | None:
        kept = self._kept.get(key)
        if kept is None:
            return None
        if self._clock() >= kept.until:
            self._drop_entry(key)
            return None
        self._kept.move_to_end(key)
        return kept.output

    def _keep_output(self, key: str, output: ToolOutput) -> None:
        if output.outcome != "ok":
            return
        self._drop_entry(key)
        size = len(output.text.encode(errors="replace"))
        self._kept[key] = CacheEntry(output, size, self._clock() + self._seconds)
        self._size += size
        while len(self._kept) > self._most_entries or self._size > self._most_bytes:
            self._drop_entry(next(iter(self._kept)))

    def _drop_entry(self, key: str) -> None:
        dropped = self._kept.pop(key, None)
        if dropped is not None:
            self._size -= dropped.size
