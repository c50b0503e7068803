"""Watch of the brokers' answers: a Kafka that takes connections and answers nothing makes a service unready.

Readers would notice late: an open fetch of a quiet topic and a broker that is frozen look the same to them.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from aiokafka.admin import AIOKafkaAdminClient

from tarsy_bus.client.aiokafka_internals.connections import share_connections
from tarsy_bus.client.client_lifecycle import start_client, stop_client
from tarsy_bus.client.connection import Bus
from tarsy_bus.client.outages import KAFKA_ERRORS
from tarsy_bus.topics.cluster_topics import read_metadata

PROBE_SECONDS = 5.0
ANSWER_SECONDS = 5.0
"""A broker that is only busy answers a request without topics long before."""


@dataclass(slots=True)
class KafkaWatch:
    """Asks a broker every PROBE_SECONDS, unless another service of the process was answered since.

    `/ready` tells of a silence 20 seconds after the last answer (`BrokerAnswers`).
    """

    bus: Bus
    monotonic: Callable[[], float] = time.monotonic
    _client: AIOKafkaAdminClient | None = field(default=None, init=False)

    async def run(self) -> None:
        """Until it is cancelled."""
        answers = self.bus.answers
        answers.begin(self.monotonic())
        try:
            while True:
                await asyncio.sleep(PROBE_SECONDS)
                if answers.silent_seconds(self.monotonic()) >= PROBE_SECONDS:
                    await self._probe()
        finally:
            await self._close()

    async def _probe(self) -> None:
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                await read_metadata(await self._connect(), ())
        except KAFKA_ERRORS:
            # The next probe may find another broker, also where this client remembers only those that are gone.
            await self._close()
        else:
            self.bus.answers.note(self.monotonic())

    async def _connect(self) -> AIOKafkaAdminClient:
        if self._client is None:
            client = AIOKafkaAdminClient(**self.bus.client_arguments)
            share_connections(client, self.bus.connections)
            self._client = client
            await start_client(client)
        return self._client

    async def _close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await stop_client(client)
