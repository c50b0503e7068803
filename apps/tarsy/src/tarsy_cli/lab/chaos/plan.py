"""Plan of a chaos test: the service and moment of each kill, by a seed, so that a bad case can be tried again. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from tarsy_local.instance_counts import SERVICES

EARLIEST, LATEST = 1, 30
"""Events of the session: the demo's investigation has a few more, so that it still runs."""


@dataclass(frozen=True, slots=True)
class Strike:
    """`after_event`: the number of the session's event after which a process of the service is killed.

    `choice` picks the process, between 0 and 1: how many there are is known only then.
    """

    service: str
    after_event: int
    choice: float

    def pick(self, pids: Sequence[int]) -> int:
        return pids[min(int(self.choice * len(pids)), len(pids) - 1)]


def strikes(*, seed: int, rounds: int) -> list[Strike]:
    """Every service in turn, `rounds` times, each at a moment of its own."""
    random = Random(seed)
    return [
        Strike(service, random.randint(EARLIEST, LATEST), random.random())
        for _ in range(rounds)
        for service in SERVICES
    ]
