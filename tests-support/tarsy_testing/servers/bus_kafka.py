"""Kafka helpers for the tests of the bus: topics of their own, records as they lie there, a door to shut."""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence

import pytest
from aiokafka.admin import NewPartitions, NewTopic, RecordsToDelete
from aiokafka.cluster import ClusterMetadata
from aiokafka.structs import TopicPartition

from tarsy_bus.client.connection import Bus
from tarsy_bus.log.writer import LogEntry
from tarsy_bus.readers.partition_reader import Record, read_to_end
from tarsy_bus.topics.topics_admin import admin
from tarsy_testing.real_servers import eventually

TINY = {"max.message.bytes": "1000"}
"""A topic whose broker refuses what the writers think small."""


async def make_topic(bus: Bus, name: str, partitions: int = 1, config: Mapping[str, str] | None = None) -> None:
    settings = {"message.timestamp.type": "LogAppendTime", "max.message.bytes": "6000000"} | dict(config or {})
    async with admin(bus) as client:
        await client.create_topics([NewTopic(name, partitions, 1, topic_configs=settings)])

        async def described() -> bool:
            (topic,) = await client.describe_topics([name])
            leaders = [partition["leader"] for partition in topic["partitions"]]
            return topic["error_code"] == 0 and len(leaders) == partitions and min(leaders) >= 0

        await eventually(described, f"{name} is described")


async def make_ours(bus: Bus, *names: str) -> None:
    """With the partitions that our writers look for."""
    for topic in bus.topics.all():
        if topic.name in names:
            await make_topic(bus, topic.name, topic.partitions)


async def add_partitions(bus: Bus, *names: str, until: int) -> None:
    """As `kafka-topics --alter --partitions` does. Clients that start now see them all."""
    async with admin(bus) as client:
        await client.create_partitions({name: NewPartitions(until) for name in names})

        async def grown() -> bool:
            return all(len(topic["partitions"]) == until for topic in await client.describe_topics(list(names)))

        await eventually(grown, f"they have {until} partitions")


async def delete_topic(bus: Bus, name: str) -> None:
    """A writer that knows the topic already goes on trying, and is never told that it cannot."""
    async with admin(bus) as client:
        await client.delete_topics([name])

        async def gone() -> bool:
            return name not in await client.list_topics()

        await eventually(gone, f"{name} is gone")


async def delete_before(bus: Bus, topic: str, partition: int, offset: int) -> None:
    async with admin(bus) as client:
        await client.delete_records({TopicPartition(topic, partition): RecordsToDelete(before_offset=offset)})


async def read(bus: Bus, topic: str, partition: int = 0, start: int = 0) -> list[Record]:
    """The records of a partition, as they are now."""
    found: list[Record] = []
    await read_to_end(bus, topic, {partition: start}, found.append)
    return found


async def read_all(bus: Bus, topic: str) -> list[Record]:
    """The records of one of our topics, partition by partition."""
    partitions = next(one.partitions for one in bus.topics.all() if one.name == topic)
    return [record for partition in range(partitions) for record in await read(bus, topic, partition)]


def entries(*values: str | int) -> Sequence[LogEntry]:
    return [LogEntry(key=b"s", value=str(value).encode(), headers=[("ce_id", b"1")]) for value in values]


class LostLeaders:
    """Partitions that no broker leads, as all clients of this process see it. They come back when `places` is empty."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.places: set[TopicPartition] = set()
        really = ClusterMetadata.leader_for_partition

        def leader(cluster: ClusterMetadata, place: TopicPartition) -> int | None:
            found: int | None = -1 if place in self.places else really(cluster, place)
            return found

        monkeypatch.setattr(ClusterMetadata, "leader_for_partition", leader)


class Door:
    """Stands before the broker's address. Only the way in is shut: clients that came in stay connected, since
    the broker has named its own address to them."""

    def __init__(self, bootstrap: str) -> None:
        self._host, _, port = bootstrap.partition(":")
        self._port = int(port)
        self._server: asyncio.Server | None = None
        self._own_port = 0

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._own_port}"

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._pass, "127.0.0.1", self._own_port)
        self._own_port = self._server.sockets[0].getsockname()[1]

    async def shut(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server.close_clients()
            await self._server.wait_closed()
            self._server = None

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            inner_reader, inner_writer = await asyncio.open_connection(self._host, self._port)
            await asyncio.gather(_copy(reader, inner_writer), _copy(inner_reader, writer))


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    finally:
        writer.close()
