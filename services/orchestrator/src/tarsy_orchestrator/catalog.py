"""The tools that living gateways offer, as the catalog topic tells."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from tarsy_bus.connection import Bus
from tarsy_bus.following import Follower, Record, readable
from tarsy_bus.liveness import Liveness
from tarsy_contracts.conversation import ToolDefinition
from tarsy_contracts.events import OfferedTool
from tarsy_contracts.recorded import UnknownType, UnreadableValue
from tarsy_contracts.workers import CatalogTool, ServerCatalogued

log = structlog.get_logger(__name__)

KINDS = {ServerCatalogued.type: ServerCatalogued}


@dataclass(frozen=True, slots=True)
class Offer:
    tools: tuple[OfferedTool, ...]
    unavailable_servers: tuple[str, ...]


class Catalog:
    def __init__(self, liveness: Liveness) -> None:
        self._liveness = liveness
        self._seen: dict[str, ServerCatalogued] = {}
        self._changed = asyncio.Event()

    def changed(self) -> None:
        """Whoever waits for an offer looks again: the catalog or the workers' lives changed."""
        self._changed.set()

    def take(self, record: Record) -> None:
        key = (record.key or b"").decode(errors="replace")
        if record.value is None:
            self._seen.pop(key, None)
            return
        delivery = readable(record)
        if delivery is None:
            return
        try:
            self._seen[key] = delivery.decode(KINDS)
        except (UnknownType, UnreadableValue) as problem:
            log.warning("catalog.unreadable", reason=str(problem))

    def offer(self, servers: Sequence[str]) -> Offer:
        """What healthy servers of living workers offer now."""
        tools: list[OfferedTool] = []
        unavailable = []
        for server in servers:
            healthy = [
                entry
                for entry in self._seen.values()
                if entry.server == server and entry.healthy and self._liveness.lives(entry.worker_id)
            ]
            if healthy:
                tools += [_offered(server, tool) for tool in healthy[-1].tools]
            else:
                unavailable.append(server)
        return Offer(tuple(tools), tuple(unavailable))

    async def wait_for(self, servers: Sequence[str], *, seconds: float) -> Offer:
        """The offer as soon as no server is missing, or as it is after `seconds`."""
        try:
            async with asyncio.timeout(seconds):
                while (offer := self.offer(servers)).unavailable_servers:
                    self._changed.clear()
                    await self._changed.wait()
                return offer
        except TimeoutError:
            return self.offer(servers)


async def follow_catalog(bus: Bus, catalog: Catalog) -> None:
    """Reads the catalog from its beginning and goes on for ever."""
    async with Follower(bus, bus.topics.catalog).running() as follower:
        follower.assign({0: await follower.first(0)})
        while True:
            for record in await follower.read():
                catalog.take(record)
            catalog.changed()


def _offered(server: str, tool: CatalogTool) -> OfferedTool:
    return OfferedTool(
        server=server,
        tool=tool.tool,
        repeatable=tool.repeatable,
        definition=ToolDefinition(
            name=f"{server}__{tool.tool}", description=tool.description, input_schema=tool.input_schema
        ),
    )
