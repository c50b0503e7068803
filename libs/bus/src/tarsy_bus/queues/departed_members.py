"""Leaves groups on behalf of members that died, so that the next member need not wait for them.

A killed member stays in its group until its session is over, and the next one gets no partitions before that.
"""

import asyncio
from collections.abc import Collection
from fnmatch import fnmatchcase

import structlog
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import (
    GroupCoordinatorNotAvailableError,
    GroupLoadInProgressError,
    NotCoordinatorForGroupError,
    for_code,
)
from aiokafka.protocol.group import LeaveGroupRequest

from tarsy_bus.client.aiokafka_internals.connections import send_to_any_broker
from tarsy_bus.client.connection import Bus
from tarsy_bus.topics.topics_admin import admin

log = structlog.get_logger(__name__)

LOADING = (GroupCoordinatorNotAvailableError, GroupLoadInProgressError, NotCoordinatorForGroupError)
"""Answers of a broker that has just started and reads what it knows of groups."""
LOAD_SECONDS = 10.0
PAUSE_SECONDS = 0.05


async def remove_all_members(bus: Bus, group_patterns: Collection[str]) -> int:
    """Returns how many members were removed, whether they live or not. A `*` in a pattern stands for anything.

    Only for a cluster of one broker, and where no member can be alive.
    Harmless otherwise: one that lives joins again. Raises KafkaError, or TimeoutError.
    """
    async with asyncio.timeout(LOAD_SECONDS), admin(bus) as client:
        while True:
            try:
                return await _remove_all_members(client, group_patterns)
            except LOADING:
                await asyncio.sleep(PAUSE_SECONDS)


async def _remove_all_members(client: AIOKafkaAdminClient, group_patterns: Collection[str]) -> int:
    (broker,) = (await client.describe_cluster())["brokers"]
    # Naming a group that does not exist would be waited for: a new cluster has no topic for offsets yet.
    names = sorted(name for name, _ in await client.list_consumer_groups())
    present = [name for name in names if any(fnmatchcase(name, pattern) for pattern in group_patterns)]
    found = [(group, member) for group in present for member in await _list_members(client, group, broker["node_id"])]
    for group, member in found:
        answer = await send_to_any_broker(client, LeaveGroupRequest(group, member))
        log.info("group.member_removed", group=group, member=member, answer=for_code(answer.error_code).__name__)
    return len(found)


async def _list_members(client: AIOKafkaAdminClient, group: str, coordinator: int) -> list[str]:
    """Asks about one group at a time. aiokafka 0.14 reads the newest answer with the fields of an older one: all groups
    after the first are garbage, or break the connection.
    """
    (answer,) = await client.describe_consumer_groups([group], group_coordinator_id=coordinator)
    ((error_code, _, _, _, _, members, *_),) = answer.groups
    if error_code:
        raise for_code(error_code)
    return [member_id for member_id, *_ in members]
