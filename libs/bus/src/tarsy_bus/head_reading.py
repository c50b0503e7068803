"""Reading the heads of whole partitions, as an owner does before it decides."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import aclosing
from uuid import UUID

import structlog

from tarsy_bus.connection import Bus
from tarsy_bus.head_rows import HeadRow, row_of, unpacked_head
from tarsy_bus.head_store import HeadStore
from tarsy_bus.partition_reader import Record, parse_record, records_to_end
from tarsy_contracts.heads import SessionHead, session_of_head_key
from tarsy_contracts.recorded import UnknownType, UnreadableValue

log = structlog.get_logger(__name__)

KINDS = {SessionHead.type: SessionHead}


async def read_heads(bus: Bus, partitions: Iterable[int]) -> dict[int, HeadStore]:
    """The newest head of every session, by partition. The caller closes the stores."""
    loading = {number: HeadLoading() for number in partitions}
    try:
        async with aclosing(records_to_end(bus, bus.topics.heads, dict.fromkeys(loading, 0))) as found:
            async for records in found:
                _take(loading, records)
        return {number: one.loaded() for number, one in loading.items()}
    except BaseException:
        for one in loading.values():
            one.store.close()
        raise


def _take(loading: Mapping[int, "HeadLoading"], records: Iterable[Record]) -> None:
    by_partition: defaultdict[int, list[Record]] = defaultdict(list)
    for record in records:
        by_partition[record.partition].append(record)
    for number, found in by_partition.items():
        loading[number].take(found)


class HeadLoading:
    """Fills a store with the records of one partition.

    Open heads wait until all was read: most of them are those of sessions that came to rest further on.
    """

    def __init__(self) -> None:
        self.store = HeadStore()
        self._open: dict[bytes, HeadRow] = {}
        self._open_decoded: list[tuple[str, SessionHead]] = []

    def take(self, records: Iterable[Record]) -> None:
        at_rest: list[HeadRow] = []
        for record in records:
            row = row_of(record)
            if row is None:
                self._take_other(record)
                continue
            known = self._open.get(row.session)
            if row.phase == b"rest":
                at_rest.append(row)
                if known is not None and known.packed < row.packed:
                    del self._open[row.session]
            elif known is None or known.packed < row.packed:
                self._open[row.session] = row
        self.store.offer_rows(at_rest)

    def loaded(self) -> HeadStore:
        for row in self._open.values():
            self.store.offer(str(UUID(bytes=row.session)), unpacked_head(row.packed, "open"))
        for session_id, head in self._open_decoded:
            self.store.offer(session_id, head)
        return self.store

    def _take_other(self, record: Record) -> None:
        head = _decoded(record)
        if head is None:
            return
        if head[1].phase == "open":
            self._open_decoded.append(head)
        else:
            self.store.offer(*head)


def _decoded(record: Record) -> tuple[str, SessionHead] | None:
    """None of a tombstone, and of what cannot be read."""
    delivery = None if record.value is None else parse_record(record)
    if delivery is None:
        return None
    try:
        return session_of_head_key((record.key or b"").decode()), delivery.decode(KINDS)
    except (UnknownType, UnreadableValue, UnicodeDecodeError) as problem:
        log.warning("head.unreadable", partition=record.partition, offset=record.offset, reason=str(problem))
        return None
