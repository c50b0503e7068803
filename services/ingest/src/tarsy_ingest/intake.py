"""From an alert as it came to one in the inbox: masked first, then written, and acknowledged before it counts."""

import asyncio
import hashlib
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog
from opentelemetry.trace import Tracer

from tarsy_bus.publisher import NotWritten, Publisher
from tarsy_bus.tracing import step, traceparent_of
from tarsy_contracts.alert import Alert, McpSelection, McpServerSelection
from tarsy_contracts.identities import report_id
from tarsy_contracts.inputs import AlertReceived
from tarsy_ingest.incoming import Incoming
from tarsy_ingest.metrics import Metrics
from tarsy_masking.masker import Masker

log = structlog.get_logger(__name__)

SHORT = 300
"""Characters of a title, an author, a severity; an address may have more."""
ADDRESS = 2000


class Intake:
    """Nothing of an alert is written or logged anywhere before it went through here."""

    def __init__(self, publisher: Publisher, masker: Masker, metrics: Metrics, tracer: Tracer) -> None:
        self._publisher = publisher
        self._masker = masker
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
        """Returns when Kafka acknowledged the alert. Raises NotWritten or TooLarge.

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
        alert = await asyncio.to_thread(self._masked, incoming)
        session_id = incoming.session_id
        digest = hashlib.sha256(alert.model_dump_json().encode()).hexdigest()
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

    def _masked(self, incoming: Incoming) -> Alert:
        """Runs in a thread: a megabyte takes a while. Cut after masking: half a secret is not recognised."""
        if isinstance(incoming.data, str):
            data = self._masker.mask(incoming.data)
        else:
            data = json.dumps(self._masker.mask_json(incoming.data), indent=2, ensure_ascii=False)
        return Alert(
            alert_type=incoming.alert_type,
            data=_storable(data),
            source=incoming.source,
            author=self._line(incoming.author, SHORT),
            title=self._line(incoming.title, SHORT),
            severity=self._line(incoming.severity, SHORT) if incoming.severity else None,
            runbook_url=self._line(incoming.runbook_url, ADDRESS) if incoming.runbook_url else None,
            priority=incoming.priority,
            mcp=self._masked_selection(incoming.mcp) if incoming.mcp else None,
        )

    def _masked_selection(self, selection: McpSelection) -> McpSelection:
        """Its names are a stranger's: that they exist was not checked on every way in."""
        servers = tuple(
            McpServerSelection(
                name=self._line(server.name, SHORT), tools=tuple(self._line(tool, SHORT) for tool in server.tools)
            )
            for server in selection.servers
        )
        return McpSelection(servers=servers, native_tools=selection.native_tools)

    def _line(self, text: str, most: int) -> str:
        return _storable(" ".join(self._masker.mask(text).split()))[:most]


def _storable(text: str) -> str:
    """PostgreSQL holds no NUL."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")
