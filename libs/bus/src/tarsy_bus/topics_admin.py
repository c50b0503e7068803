"""Making and checking the topics."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.errors import KafkaConnectionError, for_code

from tarsy_bus.connection import Bus
from tarsy_contracts.topics import Topic

ALREADY_EXISTS = 36
REQUEST_TIMED_OUT = 7
"""The controller goes on making the topic; whether it did is seen by asking."""
READY_SECONDS = 60.0
CONNECT_SECONDS = 30.0
PAUSE_SECONDS = 0.1


class TopicsWrong(Exception):
    """The topics of the cluster are not what this version needs; the message says each of them."""


@asynccontextmanager
async def admin(bus: Bus) -> AsyncIterator[AIOKafkaAdminClient]:
    """Waits for a broker that is still starting, up to CONNECT_SECONDS. Raises KafkaConnectionError."""
    limit = time.monotonic() + CONNECT_SECONDS
    while True:
        client = AIOKafkaAdminClient(bootstrap_servers=bus.bootstrap, client_id=bus.client)
        try:
            await client.start()
            break
        except KafkaConnectionError:
            await client.close()
            if time.monotonic() > limit:
                raise
            await asyncio.sleep(PAUSE_SECONDS)
    try:
        yield client
    finally:
        await client.close()


async def cluster_id(bus: Bus) -> str:
    async with admin(bus) as client:
        described = await client.describe_cluster()
    return str(described["cluster_id"])


async def apply_topics(bus: Bus, *, replication: int = 1) -> list[str]:
    """Makes the topics that are missing and returns their names.

    Raises TopicsWrong when topics are there that do not fit; then it makes none.
    """
    async with admin(bus) as client:
        present = await _partitions(client, bus)
        missing = [topic for topic in bus.topics.all() if topic.name not in present]
        misfits = _problems([topic for topic in bus.topics.all() if topic.name in present], present)
        if misfits:
            raise TopicsWrong("; ".join(misfits))
        if missing:
            await _create(client, missing, replication)
        await _until_described(client, bus)
    return [topic.name for topic in missing]


async def check_topics(bus: Bus) -> None:
    """Raises TopicsWrong, naming every topic that is missing or has another number of partitions."""
    async with admin(bus) as client:
        problems = _problems(bus.topics.all(), await _partitions(client, bus))
    if problems:
        raise TopicsWrong("; ".join(problems) + ". Run `tarsy topics apply`.")


def _problems(wanted: Iterable[Topic], present: dict[str, int]) -> list[str]:
    problems = []
    for topic in wanted:
        partitions = present.get(topic.name)
        if partitions is None:
            problems.append(f"topic {topic.name} is missing")
        elif partitions != topic.partitions:
            problems.append(f"topic {topic.name} has {partitions} partitions, not {topic.partitions}")
    return problems


async def _partitions(client: AIOKafkaAdminClient, bus: Bus) -> dict[str, int]:
    """Of our topics that are there. Others of the cluster, which may be thousands, are not asked about."""
    ours = {topic.name for topic in bus.topics.all()} & set(await client.list_topics())
    described = await client.describe_topics(sorted(ours)) if ours else []
    return {
        topic["topic"]: len(topic["partitions"])
        for topic in described
        if topic["error_code"] == 0 and all(partition["leader"] >= 0 for partition in topic["partitions"])
    }


async def _create(client: AIOKafkaAdminClient, topics: list[Topic], replication: int) -> None:
    wanted = [
        NewTopic(
            name=topic.name,
            num_partitions=topic.partitions,
            replication_factor=replication,
            topic_configs=topic.settings(),
        )
        for topic in topics
    ]
    answer = await client.create_topics(wanted)
    failed = [(row[0], row[1]) for row in answer.topic_errors if row[1] not in (0, ALREADY_EXISTS, REQUEST_TIMED_OUT)]
    if failed:
        raise TopicsWrong("; ".join(f"topic {name}: {for_code(code).__name__}" for name, code in failed))


async def _until_described(client: AIOKafkaAdminClient, bus: Bus) -> None:
    """The controller answers before the broker's metadata follows."""
    limit = time.monotonic() + READY_SECONDS
    while problems := _problems(bus.topics.all(), await _partitions(client, bus)):
        if time.monotonic() > limit:
            raise TopicsWrong("; ".join(problems))
        await asyncio.sleep(PAUSE_SECONDS)
