"""Kafka faults of the soak: poison, misplaced records, added partitions; and the session log, read on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random

import structlog
from aiokafka import AIOKafkaProducer
from aiokafka.admin import NewPartitions
from aiokafka.errors import KafkaError

from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.partition_reader import Record, ends, read_to_end
from tarsy_bus.topics.topics_admin import admin
from tarsy_contracts.wire.topics import LIMIT_BYTES
from tarsy_soak.faults import Misplacement
from tarsy_soak.leaks import SecretSearch
from tarsy_soak.misplaced import misplaced
from tarsy_soak.poison import poison_records
from tarsy_verification.session_log import create_log_reading

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
        self.reading = create_log_reading(bus)
        self._positions = dict.fromkeys(range(bus.layout.log_partitions), 0)

    async def plant(self, topic: str) -> None:
        """Every poison record of the topic. Raises TimeoutError."""
        name = f"{self._bus.topics.prefix}.{topic}"
        async with asyncio.timeout(SECONDS), self._producer() as producer:
            for record in poison_records(topic, self.session, self._random):
                await self._send(producer, name, record.key, record.value, list(record.headers))

    async def misplace(self, fault: Misplacement) -> bool:
        """Whether there was a record to misplace. Raises KafkaError or TimeoutError."""
        async with asyncio.timeout(SECONDS):
            own, others = await self._records(fault.topic), await self._records(_other_than(fault.topic))
            one_of = self._bus.layout.log_partitions if fault.topic in ("heads", "held") else 1
            found = misplaced(fault, own, others, one_of, self._random)
            if found is None:
                return False
            async with self._producer() as producer:
                name = f"{self._bus.topics.prefix}.{fault.topic}"
                await self._send(producer, name, found.key, found.value, list(found.headers), found.partition)
        return True

    async def _records(self, topic: str) -> list[Record]:
        name, found = f"{self._bus.topics.prefix}.{topic}", list[Record]()
        await read_to_end(self._bus, name, dict.fromkeys(await ends(self._bus, name), 0), found.append)
        return found

    async def search(self, secrets: SecretSearch) -> None:
        """Looks into all that our services wrote. Topics for operators only hold what strangers sent."""
        topics = self._bus.topics
        for name in {topic.name for topic in topics.all()} - {topics.alerts, topics.dead_letters}:
            starts = dict.fromkeys(await ends(self._bus, name), 0)
            await read_to_end(self._bus, name, starts, lambda record: secrets.look(record.topic, _text(record)))

    @asynccontextmanager
    async def _producer(self) -> AsyncIterator[AIOKafkaProducer]:
        producer = AIOKafkaProducer(**self._bus.client_arguments, max_request_size=LIMIT_BYTES)
        await producer.start()
        try:
            yield producer
        finally:
            await producer.stop()

    async def _send(
        self,
        producer: AIOKafkaProducer,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        headers: list[tuple[str, bytes]],
        partition: int | None = None,
    ) -> None:
        """A compacted topic refuses a record without a key, and so does nobody any harm."""
        try:
            await producer.send_and_wait(topic, value, key=key, headers=headers, partition=partition)
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


def _other_than(topic: str) -> str:
    """A compacted topic that has records in every soak."""
    return "catalog" if topic == "heads" else "heads"


def _text(record: Record) -> bytes:
    return b"\n".join([record.key or b"", record.value or b"", *(value for _, value in record.headers)])
