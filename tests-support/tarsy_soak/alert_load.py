"""The load of a soak: alerts over HTTP and over Kafka, one after the other, and which of them were accepted."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import count, cycle
from random import Random

import structlog
from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError

from tarsy_bus.client.client_lifecycle import start_client, stop_client
from tarsy_bus.client.connection import Bus
from tarsy_cli.api import ApiError
from tarsy_cli.lab.demo import restart_alerts
from tarsy_cli.submission import submit_file
from tarsy_contracts.wire.ids import deduplication_key, session_beside, session_of_alertmanager
from tarsy_ingest.raw_alert import instant
from tarsy_lab.incidents import Incident

log = structlog.get_logger(__name__)

SEND_SECONDS = 90.0
"""One alert is sent again for so long, as Alertmanager and Kafka's clients do."""
PAUSE_SECONDS = 1.0
WRITE_SECONDS = 20.0
CODECS = ("zstd", "lz4", "snappy", "gzip", None)


@dataclass
class AcceptedAlerts:
    """Sessions whose alert was acknowledged, and the incident of each.

    `refused` counts the alerts that nobody took in time: they are the sender's.
    """

    sessions: list[str] = field(default_factory=list)
    incidents: dict[str, Incident] = field(default_factory=dict)
    refused: int = 0


class AlertLoad:
    """`api` is asked anew for every alert: addresses may change."""

    def __init__(
        self,
        incidents: Sequence[Incident],
        *,
        api: Callable[[], str],
        bus: Bus,
        random: Random,
        pause_seconds: float,
    ) -> None:
        self.accepted = AcceptedAlerts()
        self._incidents = incidents
        self._api = api
        self._bus = bus
        self._random = random
        self._pause_seconds = pause_seconds

    async def run(self, stopping: asyncio.Event) -> None:
        """Sends until it is told to stop; then waits for what is under way."""
        codecs = cycle(CODECS)
        async with asyncio.TaskGroup() as group:
            for number in count(1):
                if stopping.is_set():
                    break
                incident = self._incidents[number % len(self._incidents)]
                webhook = restart_alerts(incident.alert_file.read_bytes(), datetime.now(UTC))
                if self._random.random() < 0.5:
                    submit = partial(self._over_http, webhook)
                else:
                    submit = partial(self._over_kafka, webhook, next(codecs))
                group.create_task(self._accepted_in_time(submit, incident), name=f"alert {number}")
                try:
                    async with asyncio.timeout(self._pause_seconds):
                        await stopping.wait()
                except TimeoutError:
                    continue

    async def _accepted_in_time(self, submit: Callable[[], Awaitable[list[str]]], incident: Incident) -> None:
        """Sends one alert until it is acknowledged.

        An alert without an acknowledgement may be written all the same: the same alert meets itself in one session.
        """
        limit = asyncio.get_running_loop().time() + SEND_SECONDS
        while True:
            try:
                sessions = await submit()
                self.accepted.sessions += sessions
                self.accepted.incidents.update(dict.fromkeys(sessions, incident))
                return
            except (ApiError, KafkaError, OSError) as problem:
                # A timeout is an OSError.
                if asyncio.get_running_loop().time() > limit:
                    self.accepted.refused += 1
                    log.warning("soak.alert_refused", reason=repr(problem))
                    return
                await asyncio.sleep(PAUSE_SECONDS)

    async def _over_http(self, webhook: bytes) -> list[str]:
        return await asyncio.to_thread(submit_file, self._api(), webhook)

    async def _over_kafka(self, webhook: bytes, codec: str | None) -> list[str]:
        await self._write(webhook, codec)
        return sessions_of(webhook, self._bus.layout.log_partitions)

    async def _write(self, webhook: bytes, codec: str | None) -> None:
        """Uses its own producer, like other systems."""
        producer = AIOKafkaProducer(**self._bus.client_arguments, compression_type=codec, acks="all")
        try:
            async with asyncio.timeout(WRITE_SECONDS):
                await start_client(producer)
                await producer.send_and_wait(self._bus.topics.alerts, webhook, key=b"soak")
        finally:
            await stop_client(producer)


def sessions_of(webhook: bytes, partitions: int) -> list[str]:
    """As ingest derives them."""
    alerts = json.loads(webhook)["alerts"]
    return [
        session_beside(
            session_of_alertmanager(fingerprint=alert["fingerprint"], starts_at=instant(alert["startsAt"])),
            deduplication_key("alertmanager", alert["fingerprint"]),
            partitions,
        )
        for alert in alerts
        if alert["status"] == "firing"
    ]
