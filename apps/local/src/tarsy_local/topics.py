"""Topics of the Kafka that an instance uses: made, and checked, before its services start."""

import asyncio

import structlog
from aiokafka.errors import KafkaError

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.outages import wait_out
from tarsy_bus.client.publisher import NotWrittenError
from tarsy_bus.queues.departed_members import remove_all_members
from tarsy_bus.topics.kafka_rights import UP
from tarsy_bus.topics.topics_admin import apply_topics
from tarsy_local.addresses import Addresses
from tarsy_local.errors import LocalError
from tarsy_local.kafka_sentence import kafka_sentence

log = structlog.get_logger(__name__)

CONNECT_SECONDS = 10.0
TOPICS_SECONDS = 120.0


class KafkaUnusableError(LocalError):
    """The message has the address that was tried, and what may be wrong. The operator corrects it."""


async def make_topics(addresses: Addresses, *, replication: int | None) -> None:
    """In our own broker, groups have no member after it: nothing waits for members of an earlier broker.

    Raises WrongTopicsError or KafkaUnusableError.
    """
    bus = Bus(addresses.kafka, addresses.topics, client="tarsy-up", security=addresses.kafka_security)
    try:
        async with asyncio.timeout(TOPICS_SECONDS):
            await _apply_topics(bus, replication, patient=addresses.own_broker)
            if addresses.own_broker:
                await _remove_dead_members(bus, addresses.topic_prefix)
    except (KafkaError, NotWrittenError, TimeoutError, OSError) as problem:
        raise KafkaUnusableError(kafka_sentence(addresses.kafka, problem)) from problem


async def _apply_topics(bus: Bus, replication: int | None, *, patient: bool) -> None:
    """A broker of our own on a busy machine may be slow to answer; that of somebody else may be the wrong address."""

    async def apply() -> None:
        await apply_topics(bus, replication=replication, connect_seconds=CONNECT_SECONDS)

    await (wait_out("the topics", apply) if patient else apply())


async def _remove_dead_members(bus: Bus, prefix: str) -> None:
    """All services that use a broker of our own are ours, and none runs yet."""
    try:
        await remove_all_members(bus, [f"{prefix}.{group}" for group in UP.groups])
    except (KafkaError, TimeoutError) as problem:
        log.warning("group.members_stay", reason=repr(problem))
