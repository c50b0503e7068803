"""`kill -9` of a real process right after an event: which, when, and what must hold in the end."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tarsy_testing.story.live_log import LiveLog
from tarsy_testing.system.chains import WHOLE, ask_for
from tarsy_testing.system.system import System
from tarsy_verification.invariants import faults_of
from tarsy_verification.session_log import SessionLog
from tarsy_verification.tool_runs import runs_of

VICTIMS = ("orchestrator", "tool-gateway", "summarizer")
SWEEP = "TARSY_SWEEP"
"""`all`: after every event. A number: the seed of another sample."""
SEED = 5
SUMMARISING = "summary.started"
"""The summarizer has one thing to do: a sample would hardly ever meet it."""
SECONDS = 240.0


@dataclass(frozen=True, slots=True)
class Played:
    """A chain that is killed at. `events`: its log has a few more; up to `last` are tried when everything is.

    `sample`: how many kills of each service are played otherwise.
    """

    chain: str
    events: int
    last: int
    sample: Mapping[str, int]


OF_WHOLE = Played(WHOLE, 60, 80, {"orchestrator": 3, "tool-gateway": 2})
OF_SUB_AGENTS = Played("wide", 125, 160, {"orchestrator": 2, "tool-gateway": 1})


@dataclass(frozen=True, slots=True)
class Kill:
    """`after`: the number of an event, or the type of the first one."""

    service: str
    after: int | str

    def __str__(self) -> str:
        return f"{self.service}-{self.after}"

    def due(self, log: SessionLog) -> bool:
        happened = self.after in log.types if isinstance(self.after, str) else len(log.accepted) >= self.after
        return happened or log.ended


def kills(played: Played) -> list[Kill]:
    """As the environment wants it; a small sample otherwise."""
    wanted = os.environ.get(SWEEP, str(SEED))
    if wanted == "all":
        return [Kill(service, number) for service in VICTIMS for number in range(1, played.last + 1)]
    return list(_sample(played, Random(int(wanted))))


def _sample(played: Played, random: Random) -> Iterator[Kill]:
    for service, count in played.sample.items():
        for after in sorted(random.sample(range(1, played.events + 1), count)):
            yield Kill(service, after)
    yield Kill("summarizer", SUMMARISING)


async def play(system: System, log: LiveLog, kill: Kill, chain: str = WHOLE) -> SessionLog:
    """The chain, and the kill in it. Returns the session's log, which may have ended before the kill."""
    session_id = ask_for(system, chain).session_id
    await log.until(lambda: kill.due(log.of(session_id)), f"event {kill.after}", seconds=SECONDS)
    await system.replace(kill.service)
    return await log.until_ended(session_id, seconds=SECONDS)


def faults(told: SessionLog, undisturbed: SessionLog, calls: Path) -> list[str]:
    ending = [] if told.types[-1] == "session.completed" else [f"it ended with {told.types[-1]}"]
    return [*faults_of(told, runs_of(calls, told.accepted[0].session_id), undisturbed), *ending]
