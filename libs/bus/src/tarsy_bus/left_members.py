"""Leave on behalf of group members that died without one: whoever joins next waits for nobody.

A killed member stays in its group until its session is over, and the next one gets no partitions before that.
"""

import asyncio
from collections.abc import Collection
from fnmatch import fnmatchcase

import structlog
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import GroupCoordinatorNotAvailableError, GroupLoadInProgressError, for_code
from aiokafka.protocol.group import LeaveGroupRequest

from tarsy_bus.aiokafka_internals import send_to_any_broker
from tarsy_bus.connection import Bus
from tarsy_bus.topics_admin import admin

log = structlog.get_logger(__name__)

LOADING = (GroupCoordinatorNotAvailableError, GroupLoadInProgressError)
"""Answers of a broker that has just started and reads what it knows of groups."""
LOAD_SECONDS = 10.0
PAUSE_SECONDS = 0.05


async def remove_members(bus: Bus, groups: Collection[str]) -> int:
    """Returns how many members were removed. A `*` in a group's name stands for anything.

    Only for a cluster of one broker, and where no member can be alive.
    Harmless otherwise: one that lives joins again. Raises KafkaError, or TimeoutError.
    """
    async with asyncio.timeout(LOAD_SECONDS), admin(bus) as client:
        while True:
            try:
                return await _remove(client, groups)
            except LOADING:
                await asyncio.sleep(PAUSE_SECONDS)


async def _remove(client: AIOKafkaAdminClient, groups: Collection[str]) -> int:
    (broker,) = (await client.describe_cluster())["brokers"]
    # Naming a group that does not exist would be waited for: a new cluster has no topic for offsets yet.
    names = sorted(name for name, _ in await client.list_consumer_groups())
    present = [name for name in names if any(fnmatchcase(name, group) for group in groups)]
    if not present:
        return 0
    described = await client.describe_consumer_groups(present, group_coordinator_id=broker["node_id"])
    found = [(group[1], member[0]) for answer in described for group in answer.groups for member in group[5]]
    for group, member in found:
        answer = await send_to_any_broker(client, LeaveGroupRequest(group, member))
        log.info("group.member_removed", group=group, member=member, answer=for_code(answer.error_code).__name__)
    return len(found)
