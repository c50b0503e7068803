"""Rights that a user lacks on Kafka, all at once and before anything begins: a write may be the first in an hour."""

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence

import structlog
from aiokafka.admin import AIOKafkaAdminClient

from tarsy_bus.client.access import KafkaAccessError
from tarsy_bus.client.connection import Bus
from tarsy_bus.topics.authorized_operations import TopicOperations, may_read_group, topic_operations
from tarsy_bus.topics.kafka_rights import KafkaUser, Operation, Right
from tarsy_contracts.wire.topics import Topics

SETTLE_SECONDS = 1.0
"""A broker may not know yet of a right that was just granted."""
PAUSE_SECONDS = 0.1

log = structlog.get_logger(__name__)


async def check_rights(client: AIOKafkaAdminClient, bus: Bus, user: KafkaUser) -> None:
    """Raises KafkaAccessError, which names each right that is missing and that the user needs, and KafkaError.

    Topics that do not exist are not looked at; brokers that do not tell rights are believed to give them.
    """
    limit = time.monotonic() + SETTLE_SECONDS
    while lacking := await _list_lacking_rights(client, bus, user):
        if time.monotonic() > limit:
            raise KafkaAccessError(
                f"Kafka at {bus.bootstrap} does not let {name_of_user(bus)} do what {user.name} needs: "
                f"{'; '.join(lacking)}. {hint_at_rights(bus, user)}"
            )
        await asyncio.sleep(PAUSE_SECONDS)


async def read_granted_operations(client: AIOKafkaAdminClient, topics: Topics) -> Mapping[str, TopicOperations] | None:
    """Operations that we may do, by topic that exists; None of a broker that is too old to tell. Raises KafkaError."""
    try:
        return await topic_operations(client, [topic.name for topic in topics.all()])
    except NotImplementedError:
        return None


def describe_lacking_operations(rights: Sequence[Right], granted: Mapping[str, TopicOperations]) -> list[str]:
    """An entry for each operation of these rights that we lack, with the topics."""
    found: dict[Operation, list[str]] = {}
    for right in rights:
        for operation in right.operations:
            if names := list(_list_lacking_by_right(right, operation, granted)):
                found.setdefault(operation, []).extend(names)
    return [f"{operation} on topic {', '.join(names)}" for operation, names in found.items()]


async def _list_lacking_rights(client: AIOKafkaAdminClient, bus: Bus, user: KafkaUser) -> list[str]:
    granted = await read_granted_operations(client, bus.topics)
    if granted is None:
        log.warning("rights.not_checked", reason="the broker is too old to tell them")
    rights = user.list_required_rights(bus.topics)
    on_topics = [] if granted is None else describe_lacking_operations(rights, granted)
    return [*on_topics, *await _list_lacking_on_groups(client, rights)]


def _list_lacking_by_right(right: Right, operation: Operation, granted: Mapping[str, TopicOperations]) -> Iterator[str]:
    """Topics that a right should cover, and does not. `tarsy.*` are all of them."""
    # Topics that may be made do not exist yet.
    meant = [name for name in granted if right.covers("topic", name)] if operation != "Create" else []
    lacking = [name for name in meant if granted[name].lacks(operation)]
    if right.prefixed and lacking == meant and lacking:
        yield f"{right.name}*"
    else:
        yield from lacking


async def _list_lacking_on_groups(client: AIOKafkaAdminClient, rights: Sequence[Right]) -> list[str]:
    groups = [right.name for right in rights if right.resource == "group"]
    return [f"Read on group {group}" for group in groups if not await may_read_group(client, group)]


def name_of_user(bus: Bus) -> str:
    """The user that we log in as, for a sentence."""
    return f"the user {bus.security.username}" if bus.security.username else "us"


def hint_at_rights(bus: Bus, user: KafkaUser) -> str:
    """Where all rights of a user are printed, for the end of a message."""
    prefix = "" if bus.topics.prefix == "tarsy" else f" --prefix {bus.topics.prefix}"
    return f"`tarsy topics acls --service {user.name}{prefix}` prints all rights for it"
