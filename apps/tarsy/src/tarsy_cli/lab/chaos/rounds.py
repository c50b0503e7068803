"""One round: an incident is sent, a process is killed in the middle, and the end is looked at."""

import asyncio
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tarsy_bus.connection import Bus
from tarsy_bus.partition_reader import PartitionReader, read_to_end
from tarsy_cli.api import ApiAnswer, NotFoundError, UnavailableError, UnreachableError, get, retry
from tarsy_cli.errors import CommandError
from tarsy_cli.lab.chaos.plan import Strike
from tarsy_contracts import events as e
from tarsy_local.instance import Home, Instance
from tarsy_verification.invariants import faults_of
from tarsy_verification.session_log import LogReading, SessionLog
from tarsy_verification.tool_runs import runs_of

HEALTHY_SECONDS = 60.0
INVESTIGATION_SECONDS = 180.0
SHOWN_SECONDS = 30.0
LOOK_SECONDS = 0.1


class ChaosError(CommandError):
    """A round could not be played to its end. The operator acts on the message."""


@dataclass(frozen=True, slots=True)
class Round:
    """`killed_after`: the type of the event after which the process died; empty when the session was faster."""

    strike: Strike | None
    session_id: str
    pid: int | None
    killed_after: str
    seconds: float
    log: SessionLog
    faults: list[str]

    def line(self) -> str:
        s = self.strike
        struck = f"pid {self.pid} killed after event {s.after_event}, {self.killed_after}" if s is not None else ""
        what = struck if self.pid else "not killed"
        told = "; ".join(self.faults) or "completed, one chain, nothing destructive twice"
        who = s.service if s is not None else "nobody"
        return f"{who:18} {what:64} {len(self.log.accepted):>3} events {self.seconds:5.1f} s  {told}"

    @property
    def comparable(self) -> bool:
        """Every round tells the same: the models follow a script."""
        return any(started.chain.scripted for started in self.log.events(e.SessionStarted))


@dataclass(frozen=True, slots=True)
class ChaosSetup:
    """Where rounds are played. `send` sends the incident and returns the session's id. `calls` is the lab's note."""

    home: Home
    bus: Bus
    send: Callable[[str], str]
    calls: Path


async def play(setup: ChaosSetup, strike: Strike | None, undisturbed: SessionLog | None = None) -> Round:
    """Without a strike nobody is killed. `undisturbed`: what comes of it then. Raises ChaosError, or ApiError."""
    instance = await until_healthy(setup.home)
    began = time.monotonic()
    async with PartitionReader(setup.bus, setup.bus.topics.sessions).running() as follower:
        places = setup.bus.log_places(setup.bus.topics.sessions)
        ends = await follower.consumer.end_offsets(places)
        beginning = {place.partition: offset for place, offset in ends.items()}
        follower.assign(beginning)
        session_id = await asyncio.to_thread(setup.send, instance.api)
        pid, killed_after = await _strike_and_wait(setup, follower, session_id, strike)
    seconds = time.monotonic() - began
    log = await _log_of(setup.bus, session_id, beginning)
    shown = await asyncio.to_thread(_shown, instance.api, session_id, len(log.accepted))
    faults = faults_of(log, runs_of(setup.calls, session_id), undisturbed) + shown + _ending(log)
    return Round(strike, session_id, pid, killed_after, seconds, log, faults)


async def until_healthy(home: Home) -> Instance:
    """Until every process works. Raises ChaosError."""
    limit = time.monotonic() + HEALTHY_SECONDS
    while True:
        instance = home.running()
        if instance is None:
            raise ChaosError(f"No TARSy runs in {home.folder}.")
        late = [process.service for process in instance.processes if process.state != "ready"]
        if instance.state == "ready" and not late:
            return instance
        if time.monotonic() > limit:
            raise ChaosError(f"Not ready again within {HEALTHY_SECONDS:g} seconds: {', '.join(late) or 'TARSy'}.")
        await asyncio.sleep(LOOK_SECONDS)


async def _strike_and_wait(
    setup: ChaosSetup, follower: PartitionReader, session_id: str, strike: Strike | None
) -> tuple[int | None, str]:
    """Kills at its moment, and returns at the end of the session."""
    reading, pid, killed_after = LogReading(), None, ""
    limit = time.monotonic() + INVESTIGATION_SECONDS
    while time.monotonic() < limit:
        for record in await follower.read():
            reading.take(record)
            log = reading.sessions.get(session_id, SessionLog())
            due = strike is not None and len(log.accepted) >= strike.after_event and not log.ended
            if strike is not None and due and pid is None:
                pid, killed_after = _kill(setup.home, strike), log.types[-1]
        if reading.sessions.get(session_id, SessionLog()).ended:
            return pid, killed_after
    raise ChaosError(f"Session {session_id} did not end within {INVESTIGATION_SECONDS:g} seconds.")


def _kill(home: Home, strike: Strike) -> int | None:
    instance = home.running()
    processes = instance.processes if instance is not None else []
    pids = [one.pid for one in processes if one.service == strike.service and one.pid is not None]
    if not pids:
        return None
    pid = strike.pick(pids)
    os.kill(pid, signal.SIGKILL)
    return pid


async def _log_of(bus: Bus, session_id: str, beginning: dict[int, int]) -> SessionLog:
    """Read once more, from before the session began: what follows it live may differ from what lies there."""
    reading = LogReading()
    await read_to_end(bus, bus.topics.sessions, beginning, reading.take)
    return reading.sessions.get(session_id, SessionLog())


def _ending(log: SessionLog) -> list[str]:
    return [] if log.types[-1:] == ["session.completed"] else [f"it ended with {log.types[-1:]}"]


def _shown(api: str, session_id: str, events: int) -> list[str]:
    """The API must come to show the same as the log, within a while."""
    limit = time.monotonic() + SHOWN_SECONDS
    while True:
        row: ApiAnswer = retry(
            lambda: get(f"{api}/sessions/{session_id}"), UnavailableError, UnreachableError, NotFoundError
        )
        if row.get("last_number") == events and row.get("status") == "completed":
            return []
        if time.monotonic() > limit:
            return [f"the API shows {row.get('status')} at event {row.get('last_number')}"]
        time.sleep(LOOK_SECONDS)
