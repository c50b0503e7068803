"""Reading the heads of whole partitions, as an owner does before it decides."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from functools import partial
from uuid import UUID

import structlog

from tarsy_bus.connection import Bus, batch_reader
from tarsy_bus.head_batches import HeadRows
from tarsy_bus.head_rows import SESSION_BYTES, unpacked_head
from tarsy_bus.head_store import HeadStore
from tarsy_bus.partition_reader import Record, parse_record, records_to_end
from tarsy_bus.whole_batches import WholeBatches
from tarsy_contracts.heads import SessionHead, session_of_head_key
from tarsy_contracts.recorded import UnknownTypeError, UnreadableValueError

log = structlog.get_logger(__name__)

RECORDS_AT_ONCE = 4
"""Each stands for about GATHERED_BYTES of heads: some milliseconds of parsing."""
MOST_WAITING = 3
KINDS = {SessionHead.type: SessionHead}


async def read_heads(bus: Bus, partitions: Iterable[int]) -> dict[int, HeadStore]:
    """The newest head of every session, by partition. The caller closes the stores."""
    loading = {number: HeadLoading() for number in partitions}
    try:
        async with aclosing(_Filling()) as filling:
            await _fill(loading, filling, bus)
            await filling.finish()
        return {number: one.loaded() for number, one in loading.items()}
    except BaseException:
        for one in loading.values():
            one.store.close()
        raise


async def _fill(loading: Mapping[int, "HeadLoading"], filling: "_Filling", bus: Bus) -> None:
    starts, unfilled = dict.fromkeys(loading, 0), 0
    async with aclosing(records_to_end(bus, bus.topics.heads, starts, consumer=batch_reader)) as found:
        async for records in found:
            for record in records:
                loading[record.partition].parse(record)
                unfilled += 1
                if unfilled >= RECORDS_AT_ONCE:
                    await filling.add(loading)
                    unfilled = 0
    await filling.add(loading)


class _Filling:
    """One thread fills the stores, while the event loop fetches and parses what comes next."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "heads")
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def add(self, loading: Mapping[int, "HeadLoading"]) -> None:
        """Hands over what was parsed since the last call. Waits while too much is waiting. Raises earlier failures."""
        fills = [one.take_parsed() for one in loading.values()]
        self._waiting.append(asyncio.get_running_loop().run_in_executor(self._thread, _call_all, fills))
        # Others have their turn in between, also where nothing is to be waited for.
        await asyncio.sleep(0)
        while len(self._waiting) > MOST_WAITING:
            await self._finish_first()

    async def finish(self) -> None:
        """Raises what one of them has raised."""
        while self._waiting:
            await self._finish_first()

    async def aclose(self) -> None:
        """When it returns, nobody uses the stores any more: what had not begun never begins."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        if self._waiting:
            await asyncio.wait(self._waiting)

    async def _finish_first(self) -> None:
        # Not the future itself, which a cancellation would end before the thread.
        await asyncio.wait([self._waiting[0]])
        self._waiting.popleft().result()


class HeadLoading:
    """Fills a store with the heads of one partition.

    Open heads wait until all was read: most of them are those of sessions that came to rest further on.
    """

    def __init__(self) -> None:
        self.store = HeadStore()
        self._open: dict[bytes, bytes] = {}
        self._open_decoded: list[tuple[str, SessionHead]] = []
        self._parsed = Parsed()

    def parse(self, record: Record) -> None:
        """The store has its heads once the function that `take_parsed` returns was called."""
        self.store.end = record.offset + 1
        if not isinstance(record, WholeBatches):
            self._parsed.foreign.append([record])
            return
        for number, batch in enumerate(record.plain):
            if not self._parsed.rows.take(batch):
                # Some of its heads may come twice now, which changes nothing.
                self._parsed.foreign.append(record.records(number))

    def take_parsed(self) -> Callable[[], None]:
        parsed, self._parsed = self._parsed, Parsed()
        return partial(self._fill, parsed)

    def _fill(self, parsed: "Parsed") -> None:
        for session, packed in parsed.rows.opened:
            if self._open.get(session, b"") < packed:
                self._open[session] = packed
        self._forget_rested(parsed.rows)
        self.store.offer_rows(parsed.rows)
        for session_id, head in parsed.decoded():
            if head.phase == "open":
                self._open_decoded.append((session_id, head))
            else:
                self.store.offer(session_id, head)

    def _forget_rested(self, rows: HeadRows) -> None:
        """So that only sessions that are open now take memory."""
        for found in rows.at_rest.values():
            for row in found:
                known = self._open.get(row[:SESSION_BYTES])
                if known is not None and known < row[SESSION_BYTES:]:
                    del self._open[row[:SESSION_BYTES]]

    def loaded(self) -> HeadStore:
        for session, packed in self._open.items():
            self.store.offer(str(UUID(bytes=session)), unpacked_head(packed, "open"))
        for session_id, head in self._open_decoded:
            self.store.offer(session_id, head)
        return self.store


class Parsed:
    """Heads that are not in the store yet: rows of batches that our writers wrote, and the records of all others."""

    def __init__(self) -> None:
        self.rows = HeadRows()
        self.foreign: list[Iterable[Record]] = []

    def decoded(self) -> Iterator[tuple[str, SessionHead]]:
        """For the thread: a batch of 4 MiB takes seconds."""
        for records in self.foreign:
            yield from (head for record in records if (head := _decoded(record)) is not None)


def _call_all(fills: Iterable[Callable[[], None]]) -> None:
    for fill in fills:
        fill()


def _decoded(record: Record) -> tuple[str, SessionHead] | None:
    """None of a tombstone, and of what cannot be read."""
    delivery = None if record.value is None else parse_record(record)
    if delivery is None:
        return None
    try:
        return session_of_head_key((record.key or b"").decode()), delivery.decode(KINDS)
    except (UnknownTypeError, UnreadableValueError, UnicodeDecodeError) as problem:
        log.warning("head.unreadable", partition=record.partition, offset=record.offset, reason=str(problem))
        return None
