"""What the owner watches: calls that lie in a queue (published until claimed, and while they run), and deadlines.

Decides nothing.
"""

from dataclasses import dataclass
from datetime import datetime

from tarsy_contracts.inputs import DeadlinePassed, WorkerDied
from tarsy_orchestrator.session.downtime import NO_DOWNTIME, Downtime
from tarsy_orchestrator.session.effects import OwedEnd, QueuedCall

FIRST_PAUSE_SECONDS = 3.0
LONGEST_PAUSE_SECONDS = 30.0
TELL_AGAIN_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Publish:
    """The request is (again) to be put into its queue. `attempt` counts from 1 in this tenure."""

    owed: QueuedCall
    attempt: int


@dataclass(frozen=True, slots=True)
class Tell:
    """The owner noticed something: it writes this into its own inbox, and decides when it reads it back."""

    noticed: WorkerDied | DeadlinePassed


type Step = Publish | Tell


class Queued:
    """One call in this tenure. Times in seconds are monotonic; the others are the broker's."""

    def __init__(self, owed: QueuedCall) -> None:
        self.owed = owed
        self._pause = FIRST_PAUSE_SECONDS
        self._attempts = 0
        self._outages = 0
        self._publish_at: float = 0.0
        self._tell_at: float = 0.0

    def update(self, owed: QueuedCall) -> None:
        """The session moved on. A call that became free again is published at once, if it did so for the first time."""
        if owed.releases != self.owed.releases:
            self._publish_at = 0.0 if owed.releases == 1 else self._publish_at
        if owed.claim is None and self.owed.claim is not None:
            self._pause = FIRST_PAUSE_SECONDS
        self.owed = owed

    def step(
        self,
        monotonic: float,
        broker_now: datetime | None,
        *,
        worker_dead: bool,
        behind: bool = False,
        downtime: Downtime = NO_DOWNTIME,
    ) -> Step | None:
        """What is to be done now, if anything.

        `behind`: the owner has much of its inbox before it. A claim may lie there, so that nothing is published again.
        """
        self._after_outage(monotonic, downtime)
        noticed = self._noticed(broker_now, downtime, worker_dead=worker_dead)
        if noticed is not None:
            if monotonic < self._tell_at:
                return None
            self._tell_at = monotonic + TELL_AGAIN_SECONDS
            return Tell(noticed)
        if self.owed.claim is not None or monotonic < self._publish_at or (behind and self._attempts):
            return None
        self._publish_at = monotonic + self._pause
        self._pause = min(2 * self._pause, LONGEST_PAUSE_SECONDS)
        self._attempts += 1
        return Publish(self.owed, self._attempts)

    def _after_outage(self, monotonic: float, downtime: Downtime) -> None:
        """A request that lay in the queue meanwhile may be too old for its workers: it is soon published again."""
        if len(downtime.outages) != self._outages:
            self._outages = len(downtime.outages)
            self._pause = FIRST_PAUSE_SECONDS
            self._publish_at = min(self._publish_at, monotonic + FIRST_PAUSE_SECONDS)

    def _noticed(
        self, broker_now: datetime | None, downtime: Downtime, *, worker_dead: bool
    ) -> WorkerDied | DeadlinePassed | None:
        if broker_now is not None and downtime.passed(self.owed.since, self.owed.deadline, broker_now):
            return DeadlinePassed(call_id=self.owed.id)
        claim = self.owed.claim
        if claim is not None and worker_dead:
            return WorkerDied(call_id=self.owed.id, claim_id=claim.claim_id, worker_id=claim.worker_id)
        return None


class Timer:
    """The end of an iteration or of a session."""

    def __init__(self, owed: OwedEnd) -> None:
        self.owed = owed
        self._tell_at: float = 0.0

    def update(self, owed: OwedEnd) -> None:
        self.owed = owed

    def step(self, monotonic: float, broker_now: datetime | None, downtime: Downtime = NO_DOWNTIME) -> Tell | None:
        if broker_now is None or monotonic < self._tell_at:
            return None
        if not downtime.passed(self.owed.since, self.owed.deadline, broker_now):
            return None
        self._tell_at = monotonic + TELL_AGAIN_SECONDS
        return Tell(DeadlinePassed(call_id=self.owed.id))
