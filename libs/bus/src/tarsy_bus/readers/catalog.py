"""Reader of the MCP server catalog: each server as each worker sees it, dead workers included."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from tarsy_bus.client.connection import Bus, quiet_reader
from tarsy_bus.client.fetch_progress import ignore_step
from tarsy_bus.readers.partition_reader import PartitionReader, Record
from tarsy_bus.readers.records import append_time, parse_message
from tarsy_contracts.messages.workers import ServerCatalogued

log = structlog.get_logger(__name__)

KINDS = {ServerCatalogued.type: ServerCatalogued}
FORGOTTEN_AFTER = timedelta(hours=1)
OTHER_KEYS = b"."
"""Keys of the switch of actions and of spendings begin so. No server's name does."""


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """`health_since`, `tools_since`: since when the worker has said the same of its health and of its tools' names.

    Both reach back as far as the topic still tells: what was compacted away is not known.
    """

    seen: ServerCatalogued
    offset: int
    appended_at: datetime
    health_since: datetime
    tools_since: datetime
    tool_names: frozenset[str]


class CatalogEntries:
    """The newest entry of each server and worker.

    A worker repeats its entries every 30 seconds. An entry that was not repeated for FORGOTTEN_AFTER, by the stamps of
    the topic itself, is forgotten; `forgotten` is called with its key.
    """

    def __init__(self, forgotten: Callable[[bytes], None] = lambda key: None) -> None:
        self._entries: dict[bytes, CatalogEntry] = {}
        self._forgotten = forgotten

    def all(self) -> Collection[CatalogEntry]:
        return self._entries.values()

    def take(self, record: Record) -> None:
        """A record that is unreadable, has the key of another one, or is no server's, changes nothing."""
        key = record.key or b""
        if key.startswith(OTHER_KEYS):
            return
        if record.value is None:
            self._entries.pop(key, None)
            return
        seen = parse_message(record, KINDS, "catalog.unreadable")
        if seen is None:
            return
        if key != f"{seen.server}/{seen.worker_id}".encode():
            # No tombstone of its worker would end it.
            log.warning("catalog.unreadable", offset=record.offset, reason="its key is that of another record")
            return
        # Taken out and put in again, so that they are in the order in which they were said last.
        at = append_time(record)
        self._entries[key] = _next_entry(self._entries.pop(key, None), seen, record.offset, at)
        self._forget_old_entries(at)

    def _forget_old_entries(self, now: datetime) -> None:
        while (oldest := next(iter(self._entries.items())))[1].appended_at < now - FORGOTTEN_AFTER:
            del self._entries[oldest[0]]
            self._forgotten(oldest[0])

    def drop(self, unwanted: Callable[[CatalogEntry], bool]) -> None:
        self._entries = {key: entry for key, entry in self._entries.items() if not unwanted(entry)}


async def follow_catalog(
    bus: Bus,
    take: Callable[[Record], None],
    *,
    changed: Callable[[], None],
    read_through: Callable[[], None],
    heartbeat: Callable[[], None] = ignore_step,
) -> None:
    """Reads the catalog from its beginning and goes on for ever.

    `changed` is called after each read, `read_through` once, when all that was there at the start has been taken.
    """
    async with PartitionReader(bus, bus.topics.catalog, heartbeat, consumer=quiet_reader).running() as follower:
        goal = (await follower.ends([0]))[0]
        follower.assign(await follower.firsts([0]))
        through = False
        while True:
            for record in await follower.next():
                take(record)
            changed()
            if not through and await follower.position(0) >= goal:
                through = True
                read_through()


def _next_entry(before: CatalogEntry | None, seen: ServerCatalogued, offset: int, at: datetime) -> CatalogEntry:
    names = frozenset(tool.tool for tool in seen.tools)
    same_health = before is not None and _health_flags(before.seen) == _health_flags(seen)
    same_tools = before is not None and before.tool_names == names
    return CatalogEntry(
        seen=seen,
        offset=offset,
        appended_at=at,
        health_since=before.health_since if before is not None and same_health else at,
        tools_since=before.tools_since if before is not None and same_tools else at,
        tool_names=names,
    )


def _health_flags(seen: ServerCatalogued) -> tuple[bool, bool]:
    return seen.healthy, seen.misconfigured
