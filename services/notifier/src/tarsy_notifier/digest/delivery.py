"""Delivery of the digest of each week to one receiver: attempts until it has it, refuses it, or it is too old.

A claim at the timeline lets one notifier send it. The one that dies meanwhile loses its claim after two minutes, and
another one sends the same digest under the same id, by which receivers know a repeat.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Never

import structlog

from tarsy_bus.retries import draw_growing_pauses
from tarsy_contracts.api.digests.digest_claims import ClaimedDigest
from tarsy_notifier.delivery import LONGEST_AFTER_SECONDS
from tarsy_notifier.digest.claims import DigestClaimClient
from tarsy_notifier.digest.schedule import DigestSchedule, last_day_before
from tarsy_notifier.digest.weekly_digest import WeeklyDigest, link_to_week
from tarsy_notifier.errors import NotificationRefusedError, ReceiverUnavailableError
from tarsy_notifier.metrics import Metrics, NotificationOutcome
from tarsy_notifier.receiver import NotificationReceiver

log = structlog.get_logger(__name__)

LOOK_SECONDS = 15.0
ATTEMPT_SECONDS = 45.0
"""Shorter than a claim holds, and than a loop may be without progress."""
FIRST_PAUSE_SECONDS = 30.0
LONGEST_PAUSE_SECONDS = 600.0
GIVE_UP_AFTER = timedelta(days=1)
"""So much later a digest is still sent."""


class DigestDelivery:
    """`problem`: why the receiver cannot be sent its digest now; empty while it can."""

    def __init__(
        self,
        name: str,
        schedule: DigestSchedule,
        target: NotificationReceiver,
        claims: DigestClaimClient,
        metrics: Metrics,
        *,
        dashboard_url: str,
        now: Callable[[], datetime],
    ) -> None:
        self._name = name
        self._schedule = schedule
        self._target = target
        self._claims = claims
        self._metrics = metrics
        self._dashboard_url = dashboard_url
        self._now = now
        self._done: datetime | None = None
        self._decided: datetime | None = None
        self._pauses = draw_growing_pauses(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS)
        self._not_before: datetime | None = None
        self.problem = ""

    async def run(self, sleep: Callable[[float], Awaitable[None]], heartbeat: Callable[[], None]) -> Never:
        while True:
            await self.look()
            heartbeat()
            await sleep(LOOK_SECONDS)

    async def look(self) -> None:
        """Sends the digest that is due, unless somebody has."""
        now = self._now()
        due_at = self._schedule.last_due(now)
        if due_at == self._done or (self._not_before is not None and now < self._not_before):
            return
        try:
            async with asyncio.timeout(ATTEMPT_SECONDS):
                await self._attempt(due_at)
        except ReceiverUnavailableError as problem:
            self._note_wait(due_at, str(problem), problem.after_seconds)
        except TimeoutError:
            self._note_wait(due_at, f"it took longer than {ATTEMPT_SECONDS:.0f} seconds", 0.0)

    async def _attempt(self, due_at: datetime) -> None:
        last = last_day_before(due_at)
        if self._decided != due_at:
            claimed = await self._claims.claim(last, self._name)
            if claimed.state == "taken":
                return
            if claimed.state == "claimed":
                self._note_end(due_at, await self._send(claimed, due_at))
            self._decided = due_at
        # Asked again until the timeline knows it: what it does not know, somebody sends once more.
        await self._claims.note_sent(last, self._name)
        self._done = due_at
        self._note_recovery()

    async def _send(self, claimed: ClaimedDigest, due_at: datetime) -> NotificationOutcome:
        assert claimed.digest is not None, "a claim comes with its digest"
        if self._now() - due_at > GIVE_UP_AFTER:
            log.error("digest.lost", **self._log_fields(due_at), reason=self.problem or "no notifier ran in time")
            return "given_up" if self.problem else "late"
        link = link_to_week(self._dashboard_url, claimed.digest)
        try:
            await self._target.send_digest(WeeklyDigest(claimed.id, due_at, claimed.digest, link))
        except NotificationRefusedError as problem:
            log.error("digest.lost", **self._log_fields(due_at), reason=str(problem))
            return "refused"
        except (ReceiverUnavailableError, TimeoutError):
            raise
        except Exception:
            # A mistake of ours costs this digest, and not the next.
            log.exception("digest.failed", **self._log_fields(due_at))
            return "failed"
        return "told"

    def _note_wait(self, due_at: datetime, problem: str, after_seconds: float) -> None:
        pause = max(next(self._pauses), min(after_seconds, LONGEST_AFTER_SECONDS))
        self._not_before = self._now() + timedelta(seconds=pause)
        self.problem = problem
        self._metrics.count_failed(self._name)
        self._metrics.set_waiting(self._name, waits=True, what="digest")
        log.warning("digest.repeated", **self._log_fields(due_at), reason=problem, pause_seconds=round(pause, 1))

    def _note_recovery(self) -> None:
        self.problem, self._not_before = "", None
        self._pauses = draw_growing_pauses(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS)
        self._metrics.set_waiting(self._name, waits=False, what="digest")

    def _note_end(self, due_at: datetime, outcome: NotificationOutcome) -> None:
        self._metrics.count_ended(self._name, outcome)
        log.info("digest.ended", **self._log_fields(due_at), outcome=outcome)

    def _log_fields(self, due_at: datetime) -> dict[str, str]:
        return {"receiver": self._name, "last_day": last_day_before(due_at).isoformat()}
