"""Tool catalog: the tools that living gateways offer, read from the catalog topic."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import structlog

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.fetch_progress import ignore_step
from tarsy_bus.client.publisher import NotWrittenError, Publisher
from tarsy_bus.liveness.failure_detection import Liveness
from tarsy_bus.readers.action_switch import ActionSwitch
from tarsy_bus.readers.catalog import CatalogEntries, follow_catalog
from tarsy_bus.readers.partition_reader import Record
from tarsy_contracts.conversation import ToolDefinition
from tarsy_contracts.events import OfferedTool
from tarsy_contracts.messages.inputs import UnavailableServer
from tarsy_contracts.messages.workers import CatalogTool, ServerCatalogued
from tarsy_orchestrator.effects.action_ledger import ActionLedger
from tarsy_orchestrator.effects.spending_ledger import SpendingLedger
from tarsy_session.decision_input import OPEN_GATE, ActionGate
from tarsy_session.tools.tool_names import ToolKey, names_of

log = structlog.get_logger(__name__)

MOST_FORGOTTEN = 1_000
READ_SECONDS = 30.0
"""Until the end of the catalog at the start; a healthy Kafka needs less than one."""
UNKNOWN_SERVER = "no running tool gateway knows this server"
UNSAID = "the tool gateway cannot reach it, and gives no reason"


@dataclass(frozen=True, slots=True)
class ToolsPatience:
    """How long a stage waits for a server that is down, and for one that is starting or whose gateway may be.

    Counted in our own announcements that came back.
    """

    down_seconds: float
    starting_seconds: float


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """`starting`: one of the unavailable servers has not been tried to the end by a gateway that lives."""

    tools: tuple[OfferedTool, ...]
    unavailable_servers: tuple[UnavailableServer, ...]
    starting: bool = False


class ToolCatalog:
    def __init__(self, liveness: Liveness, ledger: ActionLedger, spending: SpendingLedger) -> None:
        self._liveness = liveness
        self.ledger = ledger
        self.spending = spending
        self._forgotten: asyncio.Queue[bytes] = asyncio.Queue(MOST_FORGOTTEN)
        self._entries = CatalogEntries(self._forget)
        self._switch = ActionSwitch()
        self._read = asyncio.Event()
        self._is_late = False
        self._changed = asyncio.Event()

    def wake(self) -> None:
        """Wakes those that wait for an offer: the catalog or the liveness of a worker changed."""
        self._changed.set()

    async def follow(self, bus: Bus, heartbeat: Callable[[], None] = ignore_step) -> None:
        """Reads the catalog from its beginning and goes on for ever."""
        await follow_catalog(bus, self._take, changed=self.wake, read_through=self._read.set, heartbeat=heartbeat)

    async def wait_until_read(self) -> None:
        """Nothing is decided before: somebody may have paused all actions. Waiting long is said again and again."""
        while not self._read.is_set():
            try:
                async with asyncio.timeout(READ_SECONDS):
                    await self._read.wait()
            except TimeoutError:
                self._is_late = True
                log.warning("catalog.not_read", seconds=READ_SECONDS)
        self._is_late = False

    def unready_reasons(self) -> list[str]:
        return ["the catalog of tools was not read to its end yet: nothing is decided before"] if self._is_late else []

    def gate(self) -> ActionGate:
        """Returns the reasons to hold calls that change something now."""
        pause, granted = self._switch.pause, self.ledger.count()
        if pause is None:
            return ActionGate(granted=granted) if granted else OPEN_GATE
        return ActionGate(pause.author, pause.comment, granted)

    def _take(self, record: Record) -> None:
        own = (self._switch.take, self.ledger.take, self.spending.take)
        if not any(take(record) for take in own):
            self._entries.take(record)

    async def end_forgotten(self, publisher: Publisher) -> None:
        """Writes tombstones for ever, as killed gateways cannot. A gateway that lives publishes again in 30 seconds."""
        while True:
            key = await self._forgotten.get()
            try:
                await publisher.write(publisher.topics.catalog, key=key, value=None, headers=[])
            except NotWrittenError as problem:
                log.warning("catalog.not_ended", reason=str(problem))
            else:
                log.info("catalog.ended", key=key.decode(errors="replace"))

    def _forget(self, key: bytes) -> None:
        """A key that finds no room is left to the next process that reads the catalog."""
        if not self._forgotten.full():
            self._forgotten.put_nowait(key)

    def offer(self, servers: Sequence[str]) -> ToolOffer:
        """Returns what healthy servers of living workers offer now."""
        return compose_offer({server: self._of_living_workers(server) for server in servers})

    def _of_living_workers(self, server: str) -> Sequence[ServerCatalogued]:
        """Returns the server as each living worker sees it, the newest last."""
        entries = [
            entry
            for entry in self._entries.all()
            if entry.seen.server == server and self._liveness.lives(entry.seen.worker_id)
        ]
        return [entry.seen for entry in sorted(entries, key=lambda entry: entry.offset)]

    async def wait_for(self, servers: Sequence[str], patience: ToolsPatience) -> ToolOffer:
        """Returns the offer as soon as no server is missing, or as it is when `patience` has come to its end.

        Only time in which our own announcements come back counts: in an outage of Kafka no gateway can say that its
        server is there. So the wait has no other limit than that outage.
        """
        began = self._liveness.heartbeats
        while (offer := self.offer(servers)).unavailable_servers:
            limit = patience.starting_seconds if offer.starting else patience.down_seconds
            if self._liveness.measure_seconds_heard(since=began) >= limit:
                break
            self._changed.clear()
            await self._changed.wait()
        return offer


def compose_offer(seen: Mapping[str, Sequence[ServerCatalogued]]) -> ToolOffer:
    """`seen`: by server, how each living worker sees it, the newest last.

    The tools of a server are sorted by name, whatever order it lists them in. Providers cache the tools while they are
    the same, byte for byte.
    """
    found: dict[ToolKey, CatalogTool] = {}
    unavailable: list[UnavailableServer] = []
    starting = False
    for server, living in seen.items():
        healthy = [one for one in living if one.healthy]
        if healthy:
            for tool in sorted(healthy[-1].tools, key=lambda tool: tool.tool):
                found.setdefault((server, tool.tool), tool)
        else:
            reason = (living[-1].error or UNSAID) if living else UNKNOWN_SERVER
            unavailable.append(UnavailableServer(server=server, reason=reason))
            starting = starting or not living or any(one.starting for one in living)
    names = names_of(found)
    offered = tuple(_offered(server, names[server, name], tool) for (server, name), tool in found.items())
    return ToolOffer(offered, tuple(unavailable), starting)


def _offered(server: str, name: str, tool: CatalogTool) -> OfferedTool:
    return OfferedTool(
        server=server,
        tool=tool.tool,
        repeatable=tool.repeatable,
        read_only=tool.changes_nothing,
        definition=ToolDefinition(name=name, description=tool.description, input_schema=tool.input_schema),
    )
