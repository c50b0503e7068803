"""Dispatch of calls to workers: published until claimed, watched while they run; and timers. Decides nothing."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from tarsy_bus.retries import draw_growing_pauses
from tarsy_contracts.messages.inputs import DeadlinePassed, WorkerDied
from tarsy_session.downtime import NO_DOWNTIME, Downtime
from tarsy_session.effects import DeadlineEffect, QueuedEffect

FIRST_PAUSE_SECONDS = 4.0
LONGEST_PAUSE_SECONDS = 30.0
REPORT_AGAIN_SECONDS = 3.0
PAUSES = partial(draw_growing_pauses, FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS)


@dataclass(frozen=True, slots=True)
class PublishRequest:
    """The request is (again) to be put into its queue. `attempt` counts from 1 in this tenure."""

    effect: QueuedEffect
    attempt: int


@dataclass(frozen=True, slots=True)
class ReportNotice:
    """A death or a deadline that the owner noticed. It goes through the owner's inbox, and is decided there."""

    noticed: WorkerDied | DeadlinePassed


type DispatchAction = PublishRequest | ReportNotice


class DispatchedCall:
    """One call in this tenure. Times in seconds are monotonic; the others are the broker's."""

    def __init__(self, effect: QueuedEffect, make_pauses: Callable[[], Iterator[float]] = PAUSES) -> None:
        self.effect = effect
        self._make_pauses = make_pauses
        self._pauses = make_pauses()
        self._attempts = 0
        self._claim_id = ""
        self._was_given_back = False
        self._last_outage: tuple[datetime, datetime] | None = None
        self._publish_at: float = 0.0
        self._claimed_by: datetime | None = None
        self._report_at: float = 0.0

    def update(self, effect: QueuedEffect) -> None:
        """The session moved on. A call that became free again is published at once, if it did so for the first time."""
        if effect.releases == 1 and self.effect.releases == 0:
            self._publish_at, self._claimed_by = 0.0, None
        if effect.claim is None and self.effect.claim is not None:
            self._pauses = self._make_pauses()
        if effect.claim is not None:
            self._claim_id = effect.claim.claim_id
        self.effect = effect

    def give_back(self, claim_id: str) -> None:
        """A worker has too much to do. It has no claim on record, so nothing was decided. It is published again in the
        next way, at once the first time.
        """
        if claim_id == self._claim_id or self.effect.claim is not None:
            return
        # Two attempts go each way (queue_requests.route_of).
        self._attempts += self._attempts % 2
        if not self._was_given_back:
            self._was_given_back = True
            self._publish_at, self._claimed_by = 0.0, None

    def step(
        self,
        monotonic: float,
        broker_now: datetime | None,
        *,
        worker_dead: bool,
        undecided_since: datetime | None = None,
        downtime: Downtime = NO_DOWNTIME,
    ) -> DispatchAction | None:
        """Returns what is due now, if anything.

        `undecided_since`: when the oldest input came that waits for the owner; None where none waits for long. The
        claim may lie behind it: nothing is published again until all is decided that came before the pause was over.
        """
        self._note_outage(monotonic, downtime)
        noticed = self._find_notice(broker_now, downtime, worker_dead=worker_dead)
        if noticed is not None:
            if monotonic < self._report_at:
                return None
            self._report_at = monotonic + REPORT_AGAIN_SECONDS
            return ReportNotice(noticed)
        if self.effect.claim is not None or monotonic < self._publish_at or self._may_be_claimed(undecided_since):
            return None
        pause = next(self._pauses)
        self._publish_at = monotonic + pause
        self._claimed_by = broker_now and broker_now + timedelta(seconds=pause)
        self._attempts += 1
        return PublishRequest(self.effect, self._attempts)

    def _may_be_claimed(self, undecided_since: datetime | None) -> bool:
        """Whether an input that waits may be the claim of the last request."""
        if self._claimed_by is None or undecided_since is None:
            return False
        return undecided_since <= self._claimed_by

    def _note_outage(self, monotonic: float, downtime: Downtime) -> None:
        """A request that lay in the queue meanwhile may be too old for its workers: it is soon published again."""
        last = downtime.outages[-1] if downtime.outages else None
        if last != self._last_outage:
            # The last one, not their number: one that reaches into it makes it longer.
            self._last_outage = last
            self._pauses = self._make_pauses()
            self._publish_at = min(self._publish_at, monotonic + next(self._pauses))

    def _find_notice(
        self, broker_now: datetime | None, downtime: Downtime, *, worker_dead: bool
    ) -> WorkerDied | DeadlinePassed | None:
        if broker_now is not None and downtime.has_passed(self.effect.since, self.effect.deadline, broker_now):
            return DeadlinePassed(call_id=self.effect.id)
        claim = self.effect.claim
        if claim is not None and worker_dead:
            return WorkerDied(call_id=self.effect.id, claim_id=claim.claim_id, worker_id=claim.worker_id)
        return None


class DeadlineTimer:
    """The end of an iteration or of a session."""

    def __init__(self, effect: DeadlineEffect) -> None:
        self.effect = effect
        self._report_at: float = 0.0

    def update(self, effect: DeadlineEffect) -> None:
        self.effect = effect

    def step(
        self, monotonic: float, broker_now: datetime | None, downtime: Downtime = NO_DOWNTIME
    ) -> ReportNotice | None:
        if broker_now is None or monotonic < self._report_at:
            return None
        if not downtime.has_passed(self.effect.since, self.effect.deadline, broker_now):
            return None
        self._report_at = monotonic + REPORT_AGAIN_SECONDS
        return ReportNotice(DeadlinePassed(call_id=self.effect.id))
