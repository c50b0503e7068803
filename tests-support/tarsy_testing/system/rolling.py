"""Rolling replacement of services: the new process is ready, and sessions begin, before the old one is stopped."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tarsy_contracts import events as e
from tarsy_testing.servers.door import HOST, Door, door
from tarsy_testing.system.load import Load
from tarsy_testing.system.service_forks import ServiceForks
from tarsy_testing.system.system import SERVICES, ServiceProcess, System

DISTURBED = ("deleting", "thinking")
"""Begun while old and new stand side by side: calls and answers of seconds, during which the old one is stopped."""
ALONE: dict[str, tuple[str, type[e.Event]]] = {
    "orchestrator": ("deleting", e.StageStarted),
    "tool-gateway": ("deleting", e.ToolCallStarted),
    "summarizer": ("crash-loop", e.SummaryCompleted),
}
"""Begun after that, and waited for until this has happened."""


@dataclass
class Rolling:
    """`releases` are where processes come from, by name. `door` leads to the newest timeline that is ready.

    `configurations`: the folder that the processes of each release read.
    """

    system: System
    load: Load
    door: Door
    releases: Mapping[str, ServiceForks]
    configurations: Mapping[str, Path]

    @property
    def timeline_url(self) -> str:
        return f"http://{HOST}:{self.door.port}"

    @property
    def newest_timeline(self) -> ServiceProcess:
        """The one that the door leads to."""
        return next(one for one in reversed(self.system.processes) if one.port == self.door.behind)

    async def start_all(self, release: str) -> None:
        self.system.environment["TARSY_TIMELINE_URL"] = self.timeline_url
        started = [self._start(service, release) for service in SERVICES]
        for process in started:
            if process.service == "timeline":
                self.door.lead_to(process.port)
            await self.system.until_ready(process)

    async def replace(self, service: str, release: str) -> ServiceProcess:
        """Returns the new process, once it has worked alone."""
        (old,) = self.system.alive(service)
        new = self._start(service, release)
        await self.system.until_ready(new)
        if service == "timeline":
            self.door.lead_to(new.port)
        await self.load.begin(DISTURBED)
        await asyncio.to_thread(old.stop)
        if service in ALONE:
            kind, done = ALONE[service]
            for session_id in await self.load.begin((kind,)):
                await self.load.log.until_event(session_id, done)
        return new

    def release_of(self, process: ServiceProcess) -> str:
        return process.name.partition("-")[0]

    def _start(self, service: str, release: str) -> ServiceProcess:
        name = f"{release}-{service}-{len(self.system.processes)}"
        self.system.environment["TARSY_CONFIG_DIR"] = str(self.configurations[release])
        return self.system.start(service, name=name, forks=self.releases[release])


@asynccontextmanager
async def rolling(
    system: System, load: Load, releases: Mapping[str, ServiceForks], configurations: Mapping[str, Path]
) -> AsyncIterator[Rolling]:
    async with door(0) as one:
        yield Rolling(system, load, one, releases, configurations)
