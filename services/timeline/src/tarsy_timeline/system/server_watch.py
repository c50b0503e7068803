"""Watch of the catalog and of the workers' announcements: answers of one moment."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.action_switch import ActionSwitch
from tarsy_bus.readers.catalog import CatalogEntries, follow_catalog
from tarsy_bus.readers.day_spendings import DaySpendings
from tarsy_bus.readers.partition_reader import Record
from tarsy_contracts.messages.actions import ActionsSwitched
from tarsy_contracts.messages.workers import FailingProvider, WorkerAnnounced
from tarsy_service.http.problems import ProblemError
from tarsy_service.supervision import Supervisor
from tarsy_timeline.system.server_warnings import MOST_NAMED, Category, ServerWarning, warn_of_pause, warnings_of
from tarsy_timeline.system.servers import ServerOfGateways, servers_of
from tarsy_timeline.system.worker_liveness import Heard, WorkerLiveness, follow_workers

NOT_READ = "The catalog of MCP servers has not been read to its end yet. Try again in a few seconds."
NOT_SURE = "Kafka has not said for a while which tool gateways run, so the state of MCP servers may be out of date."


@dataclass(frozen=True, slots=True)
class Seen:
    servers: tuple[ServerOfGateways, ...]
    warnings: tuple[ServerWarning, ...]


class ServerWatch:
    def __init__(self, bus: Bus, liveness: WorkerLiveness, *, wait_seconds: float, now: Callable[[], datetime]) -> None:
        self._bus = bus
        self._liveness = liveness
        self._wait_seconds = wait_seconds
        self._listening_since = now()
        self._entries = CatalogEntries()
        self._switch = ActionSwitch()
        self._spendings = DaySpendings()
        self._has_read = asyncio.Event()
        self._has_heard = asyncio.Event()

    async def run(self, supervisor: Supervisor) -> None:
        """Until it is cancelled."""
        async with supervisor.group() as group:
            group.start(
                "workers", follow_workers(self._bus, self._liveness, self._heard, supervisor.heartbeat_for("workers"))
            )
            group.start(
                "catalog",
                follow_catalog(
                    self._bus,
                    self._take,
                    changed=self._forget,
                    read_through=self._has_read.set,
                    heartbeat=supervisor.heartbeat_for("catalog"),
                ),
            )

    async def wait_for_servers(self) -> Seen:
        """Waits a few seconds after a start. Raises ProblemError when what was read would mislead."""
        try:
            async with asyncio.timeout(self._wait_seconds):
                await self._has_read.wait()
                await self._has_heard.wait()
        except TimeoutError as problem:
            raise ProblemError(503, "Not there yet", NOT_READ) from problem
        if not self._liveness.is_sure:
            raise ProblemError(503, "Service unavailable", NOT_SURE)
        return self.view_servers()

    async def wait_for_switch(self) -> ActionsSwitched | None:
        """Returns what was last said of actions, if anything. Raises ProblemError as long as it is unread."""
        await self._wait_until_read()
        return self._switch.last

    async def wait_for_spendings(self) -> DaySpendings:
        """Returns what was used of the budgets of days. Raises ProblemError as long as the catalog is unread."""
        await self._wait_until_read()
        return self._spendings

    async def _wait_until_read(self) -> None:
        try:
            async with asyncio.timeout(self._wait_seconds):
                await self._has_read.wait()
        except TimeoutError as problem:
            raise ProblemError(503, "Not there yet", NOT_READ) from problem

    async def workers(self) -> list[Heard]:
        """Those that live. Waits, and raises, as `wait_for_servers` does."""
        await self.wait_for_servers()
        return list(self._liveness.list_living())

    def view_servers(self) -> Seen:
        servers = servers_of(self._entries.all(), self._liveness.lives, self._liveness.find_last_heard)
        warnings = warnings_of(servers, list(self._liveness.gateways()), self._listening_since)
        providers = warn_of_providers(heard.announcement for heard in self._liveness.list_living())
        return Seen(tuple(servers), (*warn_of_pause(self._switch.pause), *providers, *warnings))

    def count_warnings(self, category: Category) -> int:
        return sum(warning.category == category for warning in self._known_warnings())

    def explain_degraded(self) -> list[str]:
        """The warnings that somebody should see to: what the operator wants so is none."""
        return [one.message for one in self._known_warnings() if not one.on_purpose]

    def _known_warnings(self) -> Sequence[ServerWarning]:
        """None while the API would not show them either."""
        return self.view_servers().warnings if self._has_read.is_set() and self._liveness.is_sure else ()

    def _take(self, record: Record) -> None:
        if not (self._switch.take(record) or self._spendings.take(record)):
            self._entries.take(record)

    def _heard(self) -> None:
        if self._liveness.is_sure:
            self._has_heard.set()

    def _forget(self) -> None:
        """Killed workers leave their entries on the topic for ever."""
        self._entries.drop(lambda entry: self._liveness.has_forgotten(entry.seen.worker_id, since=entry.appended_at))


MOST_PROVIDERS = 100


def warn_of_providers(living: Iterable[WorkerAnnounced]) -> list[ServerWarning]:
    """One for each provider that a process does not ask now."""
    found: dict[str, list[tuple[WorkerAnnounced, FailingProvider]]] = {}
    for worker in living:
        for failing in worker.failing_providers:
            found.setdefault(failing.provider, []).append((worker, failing))
    return [_warn_of_provider(provider, found[provider]) for provider in sorted(found)[:MOST_PROVIDERS]]


def _warn_of_provider(provider: str, seen: Sequence[tuple[WorkerAnnounced, FailingProvider]]) -> ServerWarning:
    kinds = ", ".join(sorted({failing.kind for _, failing in seen}))
    names = sorted(worker.name or worker.service for worker, _ in seen)
    more = "" if len(names) <= MOST_NAMED else f" and {len(names) - MOST_NAMED} more"
    return ServerWarning(
        what="provider_failing",
        server=None,
        message=f"The LLM provider {provider} fails ({kinds}).",
        details="Its fallbacks are asked instead, where there are any. From time to time one call tries it again. "
        f"Seen by {', '.join(names[:MOST_NAMED])}{more}.",
        began=min(failing.since for _, failing in seen),
        category="llm_health",
        provider=provider,
    )
