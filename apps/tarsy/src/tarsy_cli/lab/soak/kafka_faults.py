"""Kafka faults of the soak: poison records, added partitions; and the session log, read on."""

import asyncio
from random import Random

import structlog
from aiokafka import AIOKafkaProducer
from aiokafka.admin import NewPartitions
from aiokafka.errors import KafkaError

from tarsy_bus.connection import Bus
from tarsy_bus.partition_reader import Record, read_to_end
from tarsy_bus.topics_admin import admin
from tarsy_cli.lab.soak.poison import poison_records
from tarsy_contracts.topics import LIMIT_BYTES
from tarsy_verification.session_log import LogReading

log = structlog.get_logger(__name__)

SECONDS = 60.0
ADDED = 4
PAUSE_SECONDS = 1.0


class KafkaFaults:
    """`session` names a session that runs, for poison that pretends to be its own."""

    def __init__(self, bus: Bus, random: Random) -> None:
        self._bus = bus
        self._random = random
        self.session = "nobody"
        self.reading = LogReading()
        self._positions = dict.fromkeys(range(bus.layout.log_partitions), 0)

    async def plant(self, topic: str) -> None:
        """Every poison record of the topic. Raises TimeoutError."""
        name = f"{self._bus.topics.prefix}.{topic}"
        producer = AIOKafkaProducer(**self._bus.client_arguments, max_request_size=LIMIT_BYTES)
        async with asyncio.timeout(SECONDS):
            await producer.start()
            try:
                for record in poison_records(topic, self.session, self._random):
                    await self._send(producer, name, record.key, record.value, list(record.headers))
            finally:
                await producer.stop()

    async def _send(
        self,
        producer: AIOKafkaProducer,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        headers: list[tuple[str, bytes]],
    ) -> None:
        """A compacted topic refuses a record without a key, and so does nobody any harm."""
        try:
            await producer.send_and_wait(topic, value, key=key, headers=headers)
        except KafkaError as problem:
            log.info("soak.poison_refused", topic=topic, reason=repr(problem))

    async def grow(self, topic: str) -> None:
        """Raises KafkaError or TimeoutError."""
        name = f"{self._bus.topics.prefix}.{topic}"
        async with asyncio.timeout(SECONDS), admin(self._bus) as client:
            (described,) = await client.describe_topics([name])
            await client.create_partitions({name: NewPartitions(len(described["partitions"]) + ADDED)})

    async def read_on(self) -> None:
        """Takes into `reading` what the session log has got since the last time. Raises KafkaError."""

        def take(record: Record) -> None:
            self.reading.take(record)
            self._positions[record.partition] = record.offset + 1

        await read_to_end(self._bus, self._bus.topics.sessions, self._positions, take)
