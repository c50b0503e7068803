"""Follower of the catalog: the names of the tools that MCP servers have, so that an alert names none that is not there.

Alerts are taken without it, too: tools of a server that no tool gateway reaches are not judged.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping

import structlog

from tarsy_bus.catalog import CatalogEntries, CatalogEntry, follow_catalog
from tarsy_bus.connection import Bus
from tarsy_bus.retries import growing_pauses
from tarsy_service.supervision import Supervisor

log = structlog.get_logger(__name__)

type ToolNames = Mapping[str, frozenset[str]]
"""By server."""


class ToolFollower:
    def __init__(self, bus: Bus, supervisor: Supervisor) -> None:
        self._bus = bus
        self._supervisor = supervisor
        self._entries = CatalogEntries()
        self.known: ToolNames = {}

    async def run(self) -> None:
        """Until it is cancelled."""
        stepped = self._supervisor.steps("tools", essential=False)
        pauses = growing_pauses()
        while True:
            try:
                await follow_catalog(
                    self._bus, self._entries.take, changed=self._note, read_through=self._note, stepped=stepped
                )
            except Exception as problem:  # noqa: BLE001 # whatever it is: alerts are taken without it
                log.warning("catalog.not_read", reason=str(problem), error=type(problem).__name__)
            await asyncio.sleep(next(pauses))

    def _note(self) -> None:
        self.known = names_in(self._entries.all())


def names_in(entries: Iterable[CatalogEntry]) -> ToolNames:
    """The names that any gateway told of a server that it reached."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for entry in entries:
        if entry.seen.healthy:
            found[entry.seen.server] |= entry.tool_names
    return {server: frozenset(names) for server, names in found.items()}
