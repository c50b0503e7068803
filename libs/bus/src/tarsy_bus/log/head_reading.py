"""Reading the heads of whole partitions, as an owner does before it decides."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from functools import partial

import structlog

from tarsy_bus.client.connection import Bus, batch_reader
from tarsy_bus.client.whole_batches import WholeBatches
from tarsy_bus.log.head_batches import Belongs, HeadRows
from tarsy_bus.log.head_rows import (
    SESSION_BYTES,
    fits_row,
    number_of,
    pack_head,
    pack_session,
    unpack_head,
    unpack_session,
)
from tarsy_bus.log.head_store import HeadStore
from tarsy_bus.readers.misplaced import MisplacedRecords
from tarsy_bus.readers.partition_reader import Record, records_to_end
from tarsy_bus.readers.records import parse_record
from tarsy_contracts.events.heads import SessionHead, head_key, session_of_head_key
from tarsy_contracts.events.recorded import UnknownTypeError, UnreadableValueError
from tarsy_contracts.wire.header_numbers import read_number
from tarsy_contracts.wire.partitioning import partition_of

log = structlog.get_logger(__name__)

RECORDS_AT_ONCE = 4
"""Each stands for about GATHERED_BYTES of heads: some milliseconds of parsing."""
MOST_WAITING = 3
KINDS = {SessionHead.type: SessionHead}


async def read_heads(bus: Bus, partitions: Iterable[int]) -> dict[int, HeadStore]:
    """The newest head of every session, by partition. The caller closes the stores."""
    topic, all_of_log = bus.short(bus.topics.heads), bus.layout.log_partitions
    loading = {
        number: HeadLoading(
            partial(_belongs_to_partition, all_of_log, number), MisplacedRecords(topic, number, bus.misplaced)
        )
        for number in partitions
    }
    try:
        async with aclosing(_Filling()) as filling:
            await _load_heads(loading, filling, bus)
            await filling.finish()
        return {number: await asyncio.to_thread(one.finish) for number, one in loading.items()}
    except BaseException:
        for one in loading.values():
            one.store.close()
        raise


async def _load_heads(loading: Mapping[int, "HeadLoading"], filling: "_Filling", bus: Bus) -> None:
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
        self._waiting.append(asyncio.get_running_loop().run_in_executor(self._thread, _run_fills, fills))
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

    def __init__(self, belongs: Belongs, misplaced: MisplacedRecords) -> None:
        """`belongs`: whether a session lies in this partition. Heads of others are left out, and noted."""
        self.store = HeadStore()
        self._belongs = belongs
        self._misplaced = misplaced
        self._open: dict[bytes | str, bytes] = {}
        self._parsed = Parsed(belongs)
        self._ended_newest = False

    def parse(self, record: Record) -> None:
        """The store has its heads once the function that `take_parsed` returns was called."""
        self.store.end = record.offset + 1
        if not isinstance(record, WholeBatches):
            self._parsed.add([record])
            return
        for number, batch in enumerate(record.plain):
            if not self._parsed.take(batch):
                # Some of its heads may come twice now, which changes nothing.
                self._parsed.add(record.records(number))

    def take_parsed(self) -> Callable[[], None]:
        parsed, self._parsed = self._parsed, Parsed(self._belongs)
        return partial(self._take_parsed, parsed)

    def _take_parsed(self, parsed: "Parsed") -> None:
        """For the thread: to decode a batch of 4 MiB takes seconds."""
        for part in parsed.parts:
            if isinstance(part, HeadRows):
                self._take_rows(part)
                continue
            for record in part:
                self._take_record(record)

    def _take_rows(self, rows: HeadRows) -> None:
        for session, packed in rows.opened:
            self._offer_open(session, packed)
        self._forget_rested(rows)
        self.store.offer_rows(rows)
        for key in rows.misplaced:
            self._misplaced.note(key.decode())
        for key, (session, number) in rows.tombstones.items():
            self._end_open(key.decode(), session, number)
        self._ended_newest |= self.store.drop_rows(rows.tombstones.values())

    def _take_record(self, record: Record) -> None:
        if record.value is None:
            self._take_tombstone(record)
            return
        found = _decode_head(record)
        if found is None:
            return
        session_id, head = found
        if not self._belongs(session_id.encode()):
            self._misplaced.note(head_key(session_id, head.number))
        elif head.phase == "open":
            self._offer_open(pack_session(session_id), pack_head(head))
        else:
            self.store.offer(session_id, head)

    def _take_tombstone(self, record: Record) -> None:
        key = (record.key or b"").decode(errors="replace")
        session_id, _, digits = key.rpartition("/")
        if (number := read_number(digits.encode())) is not None:
            session = pack_session(session_id)
            self._end_open(key, session, number)
            self._ended_newest |= self.store.drop_rows([(session, number)])

    def _offer_open(self, session: bytes | str, packed: bytes) -> None:
        if self._open.get(session, b"") < packed:
            self._open[session] = packed

    def _end_open(self, key: str, session: bytes | str, number: int) -> None:
        known = self._open.get(session)
        if known is not None and number_of(known) == number:
            del self._open[session]
            self._ended_newest = True
        self._misplaced.drop(key)

    def _forget_rested(self, rows: HeadRows) -> None:
        """So that only sessions that are open now take memory."""
        for found in rows.at_rest.values():
            for row in found:
                known = self._open.get(row[:SESSION_BYTES])
                if known is not None and known < row[SESSION_BYTES:]:
                    del self._open[row[:SESSION_BYTES]]

    def finish(self) -> HeadStore:
        if self._ended_newest:
            self.store.recount()
        for session, packed in self._open.items():
            self.store.offer(unpack_session(session), unpack_head(packed, "open"))
        self.store.misplaced = self._misplaced.keys
        return self.store


class Parsed:
    """Heads that are not in the store yet: rows of batches that our writers wrote, and the records of all others."""

    def __init__(self, belongs: Belongs) -> None:
        self.parts: list[HeadRows | Iterable[Record]] = []
        self._belongs = belongs

    def take(self, batch: bytes) -> bool:
        """False when it has to be decoded."""
        last = self.parts[-1] if self.parts else None
        if not isinstance(last, HeadRows):
            last = HeadRows(self._belongs)
            self.parts.append(last)
        return last.take(batch)

    def add(self, records: Iterable[Record]) -> None:
        self.parts.append(records)


def _belongs_to_partition(partitions: int, partition: int, session_id: bytes) -> bool:
    return partition_of(session_id, partitions) == partition


def _run_fills(fills: Iterable[Callable[[], None]]) -> None:
    for fill in fills:
        fill()


def _decode_head(record: Record) -> tuple[str, SessionHead] | None:
    """None of what cannot be read, and of what no owner writes."""
    delivery = parse_record(record)
    if delivery is None:
        return None
    try:
        key, head = (record.key or b"").decode(), delivery.decode(KINDS)
    except (UnknownTypeError, UnreadableValueError, UnicodeDecodeError) as problem:
        reason = str(problem)
    else:
        session_id = session_of_head_key(key)
        if head_key(session_id, head.number) == key and fits_row(head):
            return session_id, head
        reason = "its key or its numbers are such as no owner writes"
    log.warning("head.unreadable", partition=record.partition, offset=record.offset, reason=reason)
    return None
