"""One round: an incident is sent, its session is asked a question, a process is killed in the middle of each."""

import asyncio
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.partition_reader import PartitionReader, read_to_end
from tarsy_chaos.lives import ChaosError, ProcessDeath, SessionLives
from tarsy_chaos.plan import Strike
from tarsy_cli.api import ApiAnswer, NotFoundError, UnavailableError, UnreachableError, get, retry
from tarsy_contracts import events as e
from tarsy_contracts.events import ENDINGS
from tarsy_local.instance import Home, Instance
from tarsy_verification.invariants import faults_of
from tarsy_verification.session_log import SessionLog, create_log_reading
from tarsy_verification.tool_runs import runs_of

HEALTHY_SECONDS = 60.0
SHOWN_SECONDS = 30.0
LOOK_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Round:
    """`deaths`: one in each life of the session."""

    strike: Strike | None
    session_id: str
    deaths: tuple[ProcessDeath, ...]
    seconds: float
    log: SessionLog
    faults: list[str]

    def line(self) -> str:
        who = self.strike.service if self.strike is not None else "nobody"
        what = "; ".join(death.words() for death in self.deaths) if self.strike is not None else "not killed"
        told = "; ".join(self.faults) or "completed, one chain, nothing destructive twice"
        return f"{who:18} {what:110} {len(self.log.accepted):>3} events {self.seconds:5.1f} s  {told}"

    @property
    def comparable(self) -> bool:
        """Every round tells the same: the models follow a script."""
        return any(started.chain.scripted for started in self.log.events(e.SessionStarted))


@dataclass(frozen=True, slots=True)
class ChaosSetup:
    """Where rounds are played. `calls` is the lab's note.

    `send` sends the incident and returns the session's id. `ask` asks the session the incident's question, if it has
    one, and returns when that was accepted.
    """

    home: Home
    bus: Bus
    send: Callable[[str], str]
    ask: Callable[[str, str], None] | None
    calls: Path


async def play(setup: ChaosSetup, strike: Strike | None, undisturbed: SessionLog | None = None) -> Round:
    """A round without a strike kills no process. `undisturbed`: what comes of it then. Raises ChaosError, or
    ApiError.
    """
    instance = await until_healthy(setup.home)
    began = time.monotonic()
    async with PartitionReader(setup.bus, setup.bus.topics.sessions).running() as follower:
        places = setup.bus.log_partitions(setup.bus.topics.sessions)
        ends = await follower.consumer.end_offsets(places)
        beginning = {place.partition: offset for place, offset in ends.items()}
        follower.assign(beginning)
        session_id = await asyncio.to_thread(setup.send, instance.api)
        lives = SessionLives(setup.home, follower, session_id, strike.service if strike is not None else "")
        deaths = [await lives.until_at_rest(strike.investigation if strike is not None else None)]
        if setup.ask is not None:
            await until_healthy(setup.home, deaths)
            asking = asyncio.to_thread(setup.ask, instance.api, session_id)
            replied = lives.until_at_rest(strike.reply if strike is not None else None)
            death, _ = await asyncio.gather(replied, asking)
            deaths.append(death)
    seconds = time.monotonic() - began
    await until_healthy(setup.home, deaths)
    log = await _log_of(setup.bus, session_id, beginning)
    shown = await asyncio.to_thread(_shown, instance.api, session_id, len(log.accepted))
    ending = _ending(log, replies=len(deaths) - 1)
    faults = faults_of(log, runs_of(setup.calls, session_id), undisturbed) + shown + ending
    return Round(strike, session_id, tuple(deaths), seconds, log, faults)


async def until_healthy(home: Home, deaths: Iterable[ProcessDeath] = ()) -> Instance:
    """Until every process works, and those that were killed are replaced. Raises ChaosError."""
    killed = {death.pid for death in deaths}
    limit = time.monotonic() + HEALTHY_SECONDS
    while True:
        instance = home.find_running()
        if instance is None:
            raise ChaosError(f"No TARSy runs in {home.folder}.")
        # TARSy may not have noticed yet that a process it calls ready is dead.
        late = [one.service for one in instance.processes if one.state != "ready" or one.pid in killed]
        if instance.state == "ready" and not late:
            return instance
        if time.monotonic() > limit:
            raise ChaosError(f"Not ready again within {HEALTHY_SECONDS:g} seconds: {', '.join(late) or 'TARSy'}.")
        await asyncio.sleep(LOOK_SECONDS)


async def _log_of(bus: Bus, session_id: str, beginning: dict[int, int]) -> SessionLog:
    """Read once more, from before the session began: what follows it live may differ from what lies there."""
    reading = create_log_reading(bus)
    await read_to_end(bus, bus.topics.sessions, beginning, reading.take)
    return reading.sessions.get(session_id, SessionLog())


def _ending(log: SessionLog, *, replies: int) -> list[str]:
    ends = [type for type in log.types if type in ENDINGS]
    faults = [] if ends == ["session.completed", *["reply.completed"] * replies] else [f"its lives ended with {ends}"]
    return faults + [f"a reply {one.status}: {one.error}" for one in log.events(e.ReplyCompleted) if one.error]


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
