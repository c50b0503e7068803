"""Plan of a chaos test: which service dies when, by a seed, so that a bad case can be tried again. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from tarsy_local.instance_counts import SERVICES

EARLIEST = 1
LATEST = 30
"""Events of the session: the demo's investigation has a few more, so that it still runs."""
LATEST_OF_REPLY = 12
"""Events of the life that a question begins: the reply of the demo has a few more."""


@dataclass(frozen=True, slots=True)
class Blow:
    """`after_event`: the number of the event of this life of the session after which a process is killed.

    `choice` picks the process, between 0 and 1: how many there are is known only then.
    """

    after_event: int
    choice: float

    def pick(self, pids: Sequence[int]) -> int:
        return pids[min(int(self.choice * len(pids)), len(pids) - 1)]


@dataclass(frozen=True, slots=True)
class Strike:
    """A service is struck twice: in the middle of an investigation, and in the middle of the reply to a question."""

    service: str
    investigation: Blow
    reply: Blow


def strikes(*, seed: int, rounds: int) -> list[Strike]:
    """Every service in turn, `rounds` times, each at moments of its own."""
    random = Random(seed)

    def blow(latest: int) -> Blow:
        return Blow(random.randint(EARLIEST, latest), random.random())

    return [Strike(service, blow(LATEST), blow(LATEST_OF_REPLY)) for _ in range(rounds) for service in SERVICES]
