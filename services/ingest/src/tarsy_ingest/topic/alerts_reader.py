"""Supervisor of the alerts topic's reader: it fails and begins again, while alerts over HTTP are taken all the time."""

import asyncio
import traceback
from collections.abc import Awaitable, Callable, Sequence

import structlog

from tarsy_bus.client.tolerant_consumer import PositionLostError
from tarsy_bus.retries import draw_growing_pauses
from tarsy_ingest.metrics import Metrics
from tarsy_ingest.topic.alerts_topic import AlertsTopic
from tarsy_service.supervision import Supervisor

log = structlog.get_logger(__name__)


class AlertsReader:
    def __init__(
        self, topic: AlertsTopic, cluster: Callable[[], Awaitable[str]], metrics: Metrics, supervisor: Supervisor
    ) -> None:
        """`cluster` asks Kafka for the cluster's id, which names the records."""
        self._supervisor = supervisor
        self._topic = topic
        self._cluster = cluster
        self._metrics = metrics
        self._problem: str | None = None
        self._pauses = draw_growing_pauses()

    def explain_degraded(self) -> Sequence[str]:
        return () if self._problem is None else (self._problem,)

    async def run(self, ready: Callable[[], None]) -> None:
        """Until it is cancelled. `ready` is called when reading begins, or when it is known that it cannot."""

        heartbeat = self._supervisor.heartbeat_for("alerts topic", essential=False)

        def progressed() -> None:
            heartbeat()
            if self._problem is not None:
                log.info("alerts_topic.read_again")
                self._pauses = draw_growing_pauses()
            self._problem = None
            self._metrics.reads_alerts()

        while True:
            try:
                await self._topic.follow(await self._cluster(), ready, progressed)
            except Exception as problem:  # noqa: BLE001 # whatever it is: the HTTP door does not share its fate
                self._note_failure(problem)
            ready()
            await asyncio.sleep(next(self._pauses))

    def _note_failure(self, problem: Exception) -> None:
        self._problem = self._describe_failure(problem)
        self._metrics.fails_to_read_alerts()
        # The frames without the message: it may repeat what strangers wrote.
        frames = "".join(traceback.format_tb(problem.__traceback__))
        log.error("alerts_topic.not_read", reason=self._problem, frames=frames)

    def _describe_failure(self, problem: Exception) -> str:
        """Leaves out untrusted text: an unforeseen error is named by its type only."""
        if isinstance(problem, PositionLostError):
            return (
                f"The alerts topic is not read, alerts over HTTP are taken: {problem}. Check whether alerts were lost, "
                f"then tell group {self._topic.group} where to continue (kafka-consumer-groups --reset-offsets, see "
                "docs/operations/alerts-topic-not-read.md): it is tried again by itself."
            )
        return (
            f"The alerts topic is not read, alerts over HTTP are taken: {type(problem).__name__}; it is tried again, "
            "and the log says more."
        )
