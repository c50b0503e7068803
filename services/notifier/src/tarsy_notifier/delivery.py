"""Delivery of notifications to one receiver: attempts until it has each, refuses it, or the event is too old.

The age of the event counts, not the number of attempts. A restart therefore changes nothing, and a new receiver does
not get last week's events.
"""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import structlog

from tarsy_bus.retries import draw_growing_pauses
from tarsy_config.sections.notifications import NotificationKind, Receiver
from tarsy_contracts.public.duplicates import LastSequences
from tarsy_contracts.public.session_events import PublicSessionStarted
from tarsy_notifier.errors import NotificationRefusedError, ReceiverUnavailableError
from tarsy_notifier.events_record import EventRecord
from tarsy_notifier.metrics import Metrics, NotificationOutcome
from tarsy_notifier.notification import Notification, kind_of, link_to, may_want, session_of, wants
from tarsy_notifier.receiver import NotificationReceiver
from tarsy_notifier.sessions import SessionDirectory

log = structlog.get_logger(__name__)

FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 30.0
LONGEST_AFTER_SECONDS = 600.0
"""A receiver that wants to be left alone for longer is asked again after so long."""


class NotificationDelivery:
    """`problem`: why the receiver cannot be told now; empty while it can."""

    def __init__(
        self,
        name: str,
        receiver: Receiver,
        target: NotificationReceiver,
        sessions: SessionDirectory,
        metrics: Metrics,
        *,
        dashboard_url: str,
        now: Callable[[], datetime],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._name = name
        self._receiver = receiver
        self._target = target
        self._sessions = sessions
        self._metrics = metrics
        self._dashboard_url = dashboard_url
        self._now = now
        self._sleep = sleep
        self._last = LastSequences()
        self.problem = ""

    async def take(self, record: EventRecord) -> None:
        """Returns when nothing more is to be done with the record."""
        envelope, event = record.envelope, record.event
        if event is None or not self._last.is_new(envelope.subject, envelope.sequence):
            return
        if isinstance(event, PublicSessionStarted):
            self._sessions.remember(session_of(event, envelope.subject))
        kind = kind_of(event)
        if kind is not None and may_want(self._receiver, kind):
            await self._deliver_in_time(record, kind)
        self._last.remember(envelope.subject, envelope.sequence)

    async def _deliver_in_time(self, record: EventRecord, kind: NotificationKind) -> None:
        until = datetime.fromisoformat(record.envelope.time) + timedelta(seconds=self._receiver.give_up_after)
        if self._now() > until:
            self._metrics.count_ended(self._name, "late")
            return
        outcome = await self._send_until_done(record, kind, until)
        self._note_recovery()
        if outcome is not None:
            self._note_end(record, kind, outcome)

    async def _send_until_done(
        self, record: EventRecord, kind: NotificationKind, until: datetime
    ) -> NotificationOutcome | None:
        """None where the receiver does not want it."""
        for pause in draw_growing_pauses(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS):
            try:
                return await self._send_if_wanted(record, kind)
            except NotificationRefusedError as problem:
                self._log_loss(record, problem)
                return "refused"
            except ReceiverUnavailableError as problem:
                wait = max(pause, min(problem.after_seconds, LONGEST_AFTER_SECONDS))
                if self._now() + timedelta(seconds=wait) > until:
                    self._log_loss(record, problem)
                    return "given_up"
                self._note_wait(record, problem, wait)
            except Exception:
                # A mistake of ours costs one notification, and not those behind it.
                log.exception("notification.failed", **self._log_fields(record))
                return "failed"
            await self._sleep(wait)
        raise AssertionError("pauses never end")

    async def _send_if_wanted(self, record: EventRecord, kind: NotificationKind) -> NotificationOutcome | None:
        envelope, event = record.envelope, record.event
        session = await self._sessions.find(envelope.subject)
        if event is None or not wants(self._receiver, kind, session, event):
            return None
        link = link_to(self._dashboard_url, session.id)
        await self._target.send(Notification(kind, event, envelope, record.value, session, link))
        return "told"

    def _note_wait(self, record: EventRecord, problem: ReceiverUnavailableError, pause: float) -> None:
        self.problem = str(problem)
        self._metrics.count_failed(self._name)
        self._metrics.set_waiting(self._name, waits=True)
        log.warning(
            "notification.repeated", **self._log_fields(record), reason=str(problem), pause_seconds=round(pause, 1)
        )

    def _note_recovery(self) -> None:
        self.problem = ""
        self._metrics.set_waiting(self._name, waits=False)

    def _log_loss(self, record: EventRecord, problem: Exception) -> None:
        log.error("notification.lost", **self._log_fields(record), reason=str(problem))

    def _note_end(self, record: EventRecord, kind: NotificationKind, outcome: NotificationOutcome) -> None:
        self._metrics.count_ended(self._name, outcome)
        log.info("notification.ended", **self._log_fields(record), kind=kind, outcome=outcome)

    def _log_fields(self, record: EventRecord) -> dict[str, str]:
        return {
            "receiver": self._name,
            "session_id": record.envelope.subject,
            "event_id": record.envelope.id,
        }
