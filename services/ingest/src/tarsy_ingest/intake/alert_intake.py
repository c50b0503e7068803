"""Intake of alerts: each is masked first, then written, and acknowledged before it counts."""

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import structlog
from aiokafka.structs import RecordMetadata
from opentelemetry.trace import Tracer

from tarsy_bus.client.publisher import NotWrittenError, Publisher
from tarsy_bus.pacing import Pacer
from tarsy_bus.tracing import open_span, traceparent_of
from tarsy_contracts.alert import ALERT_LIMIT_BYTES, Alert, AlertSource
from tarsy_contracts.api.alerts import AcceptedStatus
from tarsy_contracts.messages.inputs import AlertReceived, AlertResolutionReported, GroupMember
from tarsy_contracts.timeline.model import SessionStatus
from tarsy_contracts.wire.ids import report_id
from tarsy_ingest.intake.alert_masking import AlertMaskers, is_small, mask_with_members
from tarsy_ingest.intake.identity import AlertIdentities
from tarsy_ingest.intake.known_sessions import KnownSessions
from tarsy_ingest.intake.pending_sessions import PendingSessions, QueueFullError
from tarsy_ingest.metrics import Metrics
from tarsy_ingest.raw_alert import AlertResolution, AlertTooLargeError, RawAlert

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class AcceptedAlert:
    """Kafka has the alert. `session_id` is its investigation, as far as this process knows.

    `session_status`: that of a session that it joined, where it is known.
    """

    session_id: str
    status: AcceptedStatus
    session_status: SessionStatus | None = None


class Intake:
    """Masks an alert before anything else writes or logs it."""

    def __init__(
        self,
        publisher: Publisher,
        masking: Callable[[], AlertMaskers],
        metrics: Metrics,
        tracer: Tracer,
        identities: AlertIdentities,
        known: KnownSessions,
        pending: PendingSessions,
    ) -> None:
        """`masking`: the maskers that hold now."""
        self._identities = identities
        self._known = known
        self._pending = pending
        self._publisher = publisher
        self._masking = masking
        self._metrics = metrics
        self._tracer = tracer
        self._running = False

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        async with self._publisher.running():
            self._running = True
            try:
                yield
            finally:
                self._running = False

    async def accept(self, raw_alert: RawAlert, *, delivery_id: str, cause: str | None = None) -> AcceptedAlert:
        """Returns when Kafka acknowledged the alert. Raises NotWrittenError, AlertTooLargeError or TooLargeError.

        `delivery_id` says which sending of the alert this is: the same sending, tried again, is the same input. `cause`
        is the sender's `traceparent`.
        """
        if not self._running:
            raise NotWrittenError("the service is not running")
        source = {"tarsy.alert.source": raw_alert.source}
        raw_alert = await self._identify(raw_alert)
        with open_span(self._tracer, "receive_alert", session_id=raw_alert.session_id, cause=cause, attributes=source):
            written = await self._write_to_inbox(raw_alert, delivery_id)
        accepted = self._to_accepted_alert(raw_alert, written.offset)
        if accepted.status == "queued":
            self._pending.note_accepted(written.partition, written.offset)
        return accepted

    async def _identify(self, raw_alert: RawAlert) -> RawAlert:
        if is_small(raw_alert):
            return self._identities.identify(raw_alert)
        return await asyncio.to_thread(self._identities.identify, raw_alert)

    def _to_accepted_alert(self, raw_alert: RawAlert, offset: int) -> AcceptedAlert:
        same, own = raw_alert.deduplication, raw_alert.session_id
        joined = None if same is None else self._known.join(same.key, own, offset, same.window_seconds)
        return (
            AcceptedAlert(own, "queued")
            if joined is None
            else AcceptedAlert(joined.session_id, "joined", joined.status)
        )

    async def require_capacity(self, source: AlertSource, raw_alerts: Iterable[RawAlert]) -> None:
        """For callers that can return 429. Raises QueueFullError while as many sessions wait as may, and one would
        start.

        It starts none as far as this process knows: an owner may decide otherwise, and one more session waits then.
        """
        try:
            self._pending.require_capacity()
        except QueueFullError:
            pacer = Pacer()
            for raw_alert in raw_alerts:
                if not await self.would_join(raw_alert):
                    self._metrics.count(source, "queue_full")
                    raise
                await pacer.let_others_run()

    async def wait_for_capacity(self, raw_alert: RawAlert, heartbeat: Callable[[], None]) -> None:
        """For callers that can wait. Returns when the alert may start a session; `heartbeat` is called until then."""
        if self._pending.is_full and not await self.would_join(raw_alert):
            await self._pending.wait_for_capacity(heartbeat)

    async def would_join(self, raw_alert: RawAlert) -> bool:
        """Whether it would start no session, as far as is known."""
        identified = await self._identify(raw_alert)
        same = identified.deduplication
        return same is not None and self._known.would_join(same.key, identified.session_id, same.window_seconds)

    async def report_resolution(self, resolution: AlertResolution) -> str:
        """Returns the session, as far as is known, when Kafka acknowledged the report. Raises NotWrittenError.

        Its owner decides whether there is such a session. The same resolution, sent again, is the same input.
        """
        if not self._running:
            raise NotWrittenError("the service is not running")
        resolution = self._identities.identify_resolution(resolution)
        session_id, ends_at = resolution.session_id, resolution.ends_at
        reported = AlertResolutionReported(
            source=resolution.source,
            ends_at=ends_at,
            deduplication_key=resolution.deduplication_key,
            whole_group=resolution.whole_group,
            start_unknown=resolution.start_unknown,
        )
        try:
            await self._publisher.publish(
                self._publisher.topics.inbox,
                reported,
                key=session_id,
                id=report_id(reported.type, session_id, "" if ends_at is None else ends_at.isoformat()),
                subject=session_id,
                traceparent=traceparent_of(session_id),
            )
        except NotWrittenError:
            self._metrics.count(resolution.source, "not_written")
            raise
        log.info("alert.resolution_reported", session_id=session_id, source=resolution.source)
        return self._known.find(resolution.deduplication_key) or session_id

    async def _write_to_inbox(self, raw_alert: RawAlert, delivery_id: str) -> RecordMetadata:
        """Returns where the alert lies in the inbox."""
        began = time.monotonic()
        alert, members = await _mask_alert(raw_alert, self._masking())
        session_id = raw_alert.session_id
        written_down = alert.model_dump_json().encode()
        if len(written_down) > ALERT_LIMIT_BYTES:
            text = f"takes more than {ALERT_LIMIT_BYTES} bytes once it is masked and written down as JSON"
            raise AlertTooLargeError((raw_alert.place, text))
        digest = hashlib.sha256(written_down).hexdigest()
        try:
            written = await self._publisher.publish(
                self._publisher.topics.inbox,
                AlertReceived(
                    alert=alert,
                    deduplication=raw_alert.deduplication,
                    members=members,
                    starts_at=raw_alert.starts_at,
                ),
                key=session_id,
                id=report_id("alert", session_id, digest, delivery_id),
                subject=session_id,
                traceparent=traceparent_of(session_id),
            )
        except NotWrittenError:
            self._metrics.count(raw_alert.source, "not_written")
            raise
        self._metrics.count_queued(raw_alert.source, time.monotonic() - began)
        log.info("alert.queued", session_id=session_id, source=alert.source, alert_type=alert.alert_type)
        return written


async def _mask_alert(raw_alert: RawAlert, masking: AlertMaskers) -> tuple[Alert, tuple[GroupMember, ...]]:
    """A large alert in a thread: it may take longer than anybody may hold the event loop."""
    if is_small(raw_alert):
        return mask_with_members(raw_alert, masking)
    return await asyncio.to_thread(mask_with_members, raw_alert, masking)
