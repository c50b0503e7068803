"""Follower of the catalog: the names of the tools that MCP servers have, so that an alert names none that is not there.

Alerts are accepted without it. Tools are not checked if no tool gateway reaches their server, or if Kafka refuses the
catalog.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

import structlog

from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.catalog import CatalogEntries, CatalogEntry, follow_catalog
from tarsy_bus.retries import draw_growing_pauses
from tarsy_service.supervision import Supervisor

log = structlog.get_logger(__name__)

type ToolNames = Mapping[str, frozenset[str]]
"""By server."""
type FindRefusal = Callable[[], Awaitable[str]]
"""Returns a sentence where Kafka does not let us read the catalog, and else an empty text."""

NOT_CHECKED = "Tools that alerts name are not checked"


class ToolFollower:
    def __init__(self, bus: Bus, supervisor: Supervisor, find_refusal: FindRefusal) -> None:
        self._bus = bus
        self._supervisor = supervisor
        self._find_refusal = find_refusal
        self._refusal = ""
        self._entries = CatalogEntries()
        self.known: ToolNames = {}

    async def run(self) -> None:
        """Until it is cancelled."""
        heartbeat = self._supervisor.heartbeat_for("tools", essential=False)
        pauses = draw_growing_pauses()
        while True:
            try:
                await self._follow_tools(heartbeat)
            except Exception as problem:  # noqa: BLE001 # whatever it is: alerts are taken without it
                log.warning("catalog.not_read", reason=str(problem), error=type(problem).__name__)
            await asyncio.sleep(next(pauses))

    def explain_degraded(self) -> Sequence[str]:
        return [f"{NOT_CHECKED}. {self._refusal}"] if self._refusal else []

    async def _follow_tools(self, heartbeat: Callable[[], None]) -> None:
        """Returns where Kafka does not let us read. The right may be granted while we run."""
        refusal = await self._find_refusal()
        if refusal and refusal != self._refusal:
            log.warning("tools.not_checked", reason=refusal)
        self._refusal = refusal
        if refusal:
            heartbeat()
            return
        await follow_catalog(
            self._bus,
            self._entries.take,
            changed=self._note_known_tools,
            read_through=self._note_known_tools,
            heartbeat=heartbeat,
        )

    def _note_known_tools(self) -> None:
        self.known = names_in(self._entries.all())


def names_in(entries: Iterable[CatalogEntry]) -> ToolNames:
    """The names that any gateway told of a server that it reached."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for entry in entries:
        if entry.seen.healthy:
            found[entry.seen.server] |= entry.tool_names
    return {server: frozenset(names) for server, names in found.items()}
