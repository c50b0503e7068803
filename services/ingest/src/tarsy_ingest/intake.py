"""From an alert as it came to one in the inbox: masked first, then written, and acknowledged before it counts."""

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog
from opentelemetry.trace import Tracer

from tarsy_bus.publisher import NotWritten, Publisher
from tarsy_bus.tracing import step, traceparent_of
from tarsy_contracts.alert import ALERT_LIMIT_BYTES
from tarsy_contracts.identities import report_id
from tarsy_contracts.inputs import AlertReceived
from tarsy_ingest.incoming import Incoming, TooMuch
from tarsy_ingest.masking import Masking, masked
from tarsy_ingest.metrics import Metrics

log = structlog.get_logger(__name__)


class Intake:
    """Nothing of an alert is written or logged anywhere before it went through here."""

    def __init__(self, publisher: Publisher, masking: Masking, metrics: Metrics, tracer: Tracer) -> None:
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

    async def take(self, incoming: Incoming, *, delivery: str, cause: str | None = None) -> None:
        """Returns when Kafka acknowledged the alert. Raises NotWritten, TooMuch or TooLarge.

        `delivery` says which sending of the alert this is: the same sending, tried again, is the same input. `cause`
        is the sender's `traceparent`.
        """
        if not self._running:
            raise NotWritten("the service is not running")
        source = {"tarsy.alert.source": incoming.source}
        with step(self._tracer, "receive_alert", session_id=incoming.session_id, cause=cause, attributes=source):
            await self._queue(incoming, delivery)

    async def _queue(self, incoming: Incoming, delivery: str) -> None:
        began = time.monotonic()
        alert = await asyncio.to_thread(masked, incoming, self._masking)
        session_id = incoming.session_id
        written_down = alert.model_dump_json().encode()
        if len(written_down) > ALERT_LIMIT_BYTES:
            text = f"takes more than {ALERT_LIMIT_BYTES} bytes once it is masked and written down as JSON"
            raise TooMuch((incoming.place, text))
        digest = hashlib.sha256(written_down).hexdigest()
        try:
            await self._publisher.publish(
                self._publisher.topics.inbox,
                AlertReceived(alert=alert),
                key=session_id,
                id=report_id("alert", session_id, digest, delivery),
                subject=session_id,
                traceparent=traceparent_of(session_id),
            )
        except NotWritten:
            self._metrics.count(incoming.source, "not_written")
            raise
        self._metrics.queued(incoming.source, time.monotonic() - began)
        log.info("alert.queued", session_id=session_id, source=alert.source, alert_type=alert.alert_type)
