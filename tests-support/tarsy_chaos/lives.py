"""Lives of a session under chaos: a process is killed in the middle of each."""

import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass

from tarsy_bus.readers.partition_reader import PartitionReader
from tarsy_chaos.plan import Blow
from tarsy_cli.errors import CommandError
from tarsy_contracts.events import ENDINGS
from tarsy_local.instance import Home
from tarsy_verification.session_log import LogReading, SessionLog

LIFE_SECONDS = 180.0


class ChaosError(CommandError):
    """A round could not be played to its end. The operator acts on the message."""


@dataclass(frozen=True, slots=True)
class ProcessDeath:
    """`type`: that of the event after which the process died. No pid: the session was faster."""

    pid: int | None = None
    after_event: int = 0
    type: str = ""

    def words(self) -> str:
        return f"pid {self.pid} killed after event {self.after_event}, {self.type}" if self.pid else "not killed"


class SessionLives:
    """Follows one session from life to life, and kills a process of `service` in each."""

    def __init__(self, home: Home, follower: PartitionReader, session_id: str, service: str) -> None:
        self._home = home
        self._follower = follower
        self._session_id = session_id
        self._service = service
        self._reading = LogReading()
        self._before = 0

    async def until_at_rest(self, blow: Blow | None) -> ProcessDeath:
        """Kills at its moment, and returns when this life has ended. Raises ChaosError."""
        death = ProcessDeath()
        limit = time.monotonic() + LIFE_SECONDS
        while time.monotonic() < limit:
            for record in await self._follower.read():
                self._reading.take(record)
                types = self._types()
                if blow is not None and death.pid is None and len(types) >= blow.after_event and not _over(types):
                    death = ProcessDeath(_kill(self._home, self._service, blow), blow.after_event, types[-1])
            if _over(types := self._types()):
                self._before += len(types)
                return death
        raise ChaosError(f"Session {self._session_id} did not end within {LIFE_SECONDS:g} seconds.")

    def _types(self) -> list[str]:
        """Those of the events of the present life."""
        return self._reading.sessions.get(self._session_id, SessionLog()).types[self._before :]


def _over(types: Sequence[str]) -> bool:
    return not ENDINGS.isdisjoint(types)


def _kill(home: Home, service: str, blow: Blow) -> int | None:
    instance = home.find_running()
    processes = instance.processes if instance is not None else []
    pids = [one.pid for one in processes if one.service == service and one.pid is not None]
    if not pids:
        return None
    pid = blow.pick(pids)
    os.kill(pid, signal.SIGKILL)
    return pid
