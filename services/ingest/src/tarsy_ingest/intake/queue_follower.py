"""Follower of the owners' announcements: it shows ingest how many sessions wait. Alerts are taken without it, too."""

import asyncio
from collections.abc import Callable

import structlog

from tarsy_bus.client.connection import Bus, quiet_reader
from tarsy_bus.liveness.heartbeats import Announcements
from tarsy_bus.readers.partition_reader import PartitionReader
from tarsy_bus.retries import draw_growing_pauses
from tarsy_ingest.intake.pending_sessions import PendingSessions
from tarsy_service.supervision import Supervisor

log = structlog.get_logger(__name__)

READ_BACK = 200
"""Announcements that are read at the start: each process makes one a second."""
GATHER_SECONDS = 0.25


class QueueFollower:
    def __init__(self, bus: Bus, pending: PendingSessions, supervisor: Supervisor) -> None:
        self._bus = bus
        self._pending = pending
        self._supervisor = supervisor

    async def run(self) -> None:
        """Until it is cancelled."""
        heartbeat = self._supervisor.heartbeat_for("queues", essential=False)
        pauses = draw_growing_pauses()
        while True:
            try:
                await self._follow_heartbeats(heartbeat)
            except Exception as problem:  # noqa: BLE001 # whatever it is: alerts are taken without it
                log.warning("queues.not_read", reason=str(problem), error=type(problem).__name__)
            await asyncio.sleep(next(pauses))

    async def _follow_heartbeats(self, heartbeat: Callable[[], None]) -> None:
        async with PartitionReader(
            self._bus, self._bus.topics.workers, heartbeat, consumer=quiet_reader
        ).running() as reader:
            first, end = (await reader.firsts([0]))[0], (await reader.ends([0]))[0]
            reader.assign({0: max(first, end - READ_BACK)})
            announcements = Announcements()
            while True:
                for record in await reader.next():
                    announcement = announcements.read(record)
                    if announcement is not None:
                        self._pending.note_heartbeat(announcement)
                await asyncio.sleep(GATHER_SECONDS)
