"""Process group of `tarsy up --processes`: all begun together, ended one service after the other."""

import asyncio
import time
from collections.abc import Collection, Sequence

import structlog

from tarsy_local.errors import LocalError
from tarsy_local.supervisor.supervised_process import SupervisedProcess
from tarsy_service.supervision import Supervisor

log = structlog.get_logger(__name__)

STOP_ORDER = (
    ("ingest",),
    ("tool-gateway", "summarizer"),
    ("orchestrator",),
    ("websocket-gateway", "notifier"),
    ("timeline",),
)
"""The service that accepts work stops first, then those that do it, then the one that decides on results. Little is
left in the inbox then. A service that asks another stops before the one that it asks.
"""
PHASE_SECONDS = 8.0
STOP_SECONDS = 25.0
LOOK_SECONDS = 0.02


class StartTooSlowError(LocalError):
    """Some did not become ready in time; the message names them. The operator reads their logs."""


class ProcessGroup:
    def __init__(self, members: Sequence[SupervisedProcess]) -> None:
        self.members = members
        self.stopping = False

    def ready(self, service: str) -> list[int]:
        """The ports at which the service can be asked now."""
        return [one.port for one in self.members if one.service == service and one.state == "ready"]

    def pids(self, services: Collection[str]) -> list[int]:
        """Numbers of all processes of these services that were started."""
        return [one.pid for one in self.members if one.service in services and one.pid is not None]

    def unready_reasons(self) -> list[str]:
        """Why some do not count as ready though they work. All instances of a service say the same."""
        return list(
            dict.fromkeys(reason for one in self.members if one.state != "ready" for reason in one.unready_reasons)
        )

    def restarts(self, service: str) -> int:
        return sum(one.restarts for one in self.members if one.service == service)

    async def run(self) -> None:
        """Returns when all were stopped and have ended. Raises ServiceRefusedError, in a group."""
        async with Supervisor().group() as group:
            for member in self.members:
                group.start(member.name, member.run(), may_end=member.was_asked_to_stop)

    async def until_ready(self, seconds: float) -> None:
        """Waits for the first start, but not for processes that wait for an operator. Raises StartTooSlowError."""
        limit = time.monotonic() + seconds
        while late := [member for member in self.members if member.state != "ready" and not member.is_unready]:
            if time.monotonic() > limit:
                names = ", ".join(f"{member.name} (its log: {member.log_file})" for member in late)
                raise StartTooSlowError(f"Not ready within {seconds:g} seconds: {names}.")
            await asyncio.sleep(LOOK_SECONDS)

    async def stop(self) -> None:
        """A process that takes longer than its phase goes on beside the next phase. At the end none is left."""
        self.stopping = True
        limit = time.monotonic() + STOP_SECONDS
        for services in STOP_ORDER:
            members = [member for member in self.members if member.service in services]
            for member in members:
                member.stop()
            await _wait_until_ended(members, min(PHASE_SECONDS, limit - time.monotonic()))
        await _wait_until_ended(self.members, limit - time.monotonic())
        for member in self.members:
            if not member.ended.is_set():
                log.error("stop.too_slow", name=member.name, seconds=STOP_SECONDS)
                member.kill()


async def _wait_until_ended(members: Sequence[SupervisedProcess], seconds: float) -> None:
    if not members:
        return
    waits = [asyncio.create_task(member.ended.wait()) for member in members]
    _, late = await asyncio.wait(waits, timeout=max(seconds, 0))
    for wait in late:
        wait.cancel()
