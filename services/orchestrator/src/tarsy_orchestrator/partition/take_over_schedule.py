"""When an owner looks again which partitions it can take over."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

import structlog
from aiokafka.errors import KafkaError

from tarsy_bus.client.connection import Bus
from tarsy_bus.topics.leaders import led_partitions
from tarsy_orchestrator.partition.inputs.group_membership import GroupMembership
from tarsy_orchestrator.partition.refused_partitions import RefusedPartitions

log = structlog.get_logger(__name__)

LEADER_SECONDS = 1.0
"""How often somebody looks whether a partition has a leader again."""
REFUSED_SECONDS = 30.0
"""How often an owner looks whether a partition that was refused fits by now."""


class TakeOverSchedule:
    def __init__(
        self, bus: Bus, membership: GroupMembership, refused: RefusedPartitions, monotonic: Callable[[], float]
    ) -> None:
        self._bus = bus
        self._topics = (bus.topics.inbox, bus.topics.sessions, bus.topics.heads, bus.topics.held)
        self._membership = membership
        self._refused = refused
        self._monotonic = monotonic
        self._without_leader = frozenset[int]()

    async def led(self, assigned: frozenset[int]) -> frozenset[int]:
        """Those of the partitions that have a leader. Raises KafkaError, also in an outage."""
        led = await led_partitions(self._bus, self._topics, assigned)
        self._without_leader = assigned - led
        if self._without_leader:
            log.warning("partitions.without_leader", partitions=sorted(self._without_leader))
        return led

    async def until_due(self) -> None:
        """Waits until the group assigns again, a leader is back, or a refused partition is due for another look."""
        look_at = self._monotonic() + REFUSED_SECONDS
        while self._without_leader or self._refused.numbers:
            with suppress(TimeoutError):
                async with asyncio.timeout(LEADER_SECONDS):
                    await self._membership.changed.wait()
                return
            if self._refused.numbers and self._monotonic() >= look_at:
                return
            with suppress(KafkaError, OSError):
                # Nothing of a partition without one can be read or written.
                if self._without_leader and await led_partitions(self._bus, self._topics, self._without_leader):
                    return
        await self._membership.changed.wait()
