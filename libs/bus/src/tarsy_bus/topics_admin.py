"""Making and checking the topics."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import KafkaConnectionError, for_code

from tarsy_bus.client_lifecycle import start_client, stop_client
from tarsy_bus.connection import Bus
from tarsy_bus.topic_fit import SETTINGS, Fit, Present, fit
from tarsy_contracts.topics import Topic

ALREADY_EXISTS = 36
REQUEST_TIMED_OUT = 7
"""The controller goes on making the topic; whether it did is seen by asking."""
UNKNOWN_TOPIC = 3
READY_SECONDS = 60.0
SETTLE_SECONDS = 1.0
"""Another broker of the cluster may not know yet of a topic that was just made."""
CONNECT_SECONDS = 30.0
PAUSE_SECONDS = 0.1
COPIES = 3
"""Of each partition, where the cluster has so many brokers."""


class TopicsWrong(Exception):
    """The topics of the cluster are not what this version needs; the message says each of them."""


@asynccontextmanager
async def admin(bus: Bus, *, connect_seconds: float = CONNECT_SECONDS) -> AsyncIterator[AIOKafkaAdminClient]:
    """Waits for a broker that is still starting. Raises KafkaConnectionError."""
    limit = time.monotonic() + connect_seconds
    while True:
        client = AIOKafkaAdminClient(bootstrap_servers=bus.bootstrap, client_id=bus.client)
        try:
            async with asyncio.timeout_at(asyncio.get_running_loop().time() + max(limit - time.monotonic(), 0.1)):
                await start_client(client)
            break
        except (KafkaConnectionError, TimeoutError) as problem:
            await stop_client(client)
            if time.monotonic() > limit:
                raise KafkaConnectionError(f"no answer within {connect_seconds:g} seconds") from problem
            await asyncio.sleep(PAUSE_SECONDS)
    try:
        yield client
    finally:
        await stop_client(client)


async def cluster_id(bus: Bus) -> str:
    async with admin(bus) as client:
        described = await client.describe_cluster()
    return str(described["cluster_id"])


async def compare_topics(bus: Bus, *, connect_seconds: float = CONNECT_SECONDS) -> Fit:
    """Changes nothing."""
    async with admin(bus, connect_seconds=connect_seconds) as client:
        return await _fit(client, bus)


async def apply_topics(
    bus: Bus, *, replication: int | None = None, connect_seconds: float = CONNECT_SECONDS
) -> list[str]:
    """Makes the topics that are missing and returns their names. Without `replication`: COPIES, or a copy a broker.

    Raises TopicsWrong when topics are there that do not fit; then it makes none.
    """
    async with admin(bus, connect_seconds=connect_seconds) as client:
        found = await _fit(client, bus)
        if found.misfits:
            raise TopicsWrong("; ".join(found.misfits))
        if found.missing:
            await _create(client, found.missing, replication)
            await _until_described(client, bus)
    return [topic.name for topic in found.missing]


async def check_topics(bus: Bus) -> None:
    """Raises TopicsWrong, naming every topic that is missing or does not fit."""
    limit = time.monotonic() + SETTLE_SECONDS
    async with admin(bus) as client:
        found = await _fit(client, bus)
        while found.missing and time.monotonic() < limit:
            await asyncio.sleep(PAUSE_SECONDS)
            found = await _fit(client, bus)
    if found.missing or found.misfits:
        remedy = "" if found.misfits else " Run `tarsy topics apply`."
        raise TopicsWrong("; ".join([*_missing(found), *found.misfits]) + "." + remedy)


def _missing(found: Fit) -> list[str]:
    return [f"topic {topic.name} is missing" for topic in found.missing]


async def _fit(client: AIOKafkaAdminClient, bus: Bus) -> Fit:
    wanted = bus.topics.all()
    return fit(wanted, await _present(client, [topic.name for topic in wanted]))


async def _present(client: AIOKafkaAdminClient, names: Sequence[str]) -> dict[str, Present]:
    """Of these topics that are there, both questions at once. Metadata are asked for all: naming one might make it."""
    asked = [ConfigResource(ConfigResourceType.TOPIC, name, dict.fromkeys(SETTINGS)) for name in names]
    described, configured = await asyncio.gather(client.describe_topics(), client.describe_configs(asked))
    rows = [row for answer in configured for row in answer.resources if row[0] != UNKNOWN_TOPIC]
    settings = {row[3]: (row[0], row[4]) for row in rows}
    return {
        topic["topic"]: _as_present(len(topic["partitions"]), *settings[topic["topic"]])
        for topic in described
        if topic["topic"] in settings
        and topic["error_code"] == 0
        and all(partition["leader"] >= 0 for partition in topic["partitions"])
    }


def _as_present(partitions: int, error: int, entries: Sequence[Sequence[str]]) -> Present:
    if error:
        return Present(partitions, unreadable=for_code(error).__name__)
    return Present(partitions, {entry[0]: entry[1] for entry in entries})


async def _create(client: AIOKafkaAdminClient, topics: Sequence[Topic], replication: int | None) -> None:
    copies = replication or min(COPIES, len((await client.describe_cluster())["brokers"]))
    wanted = [
        NewTopic(
            name=topic.name,
            num_partitions=topic.partitions,
            replication_factor=copies,
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
    while (found := await _fit(client, bus)).missing or found.misfits:
        if time.monotonic() > limit:
            raise TopicsWrong("; ".join([*_missing(found), *found.misfits]))
        await asyncio.sleep(PAUSE_SECONDS)
