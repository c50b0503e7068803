"""Feed of the inbox: what a member of the group has fetched goes to the partitions that decide it, each in turn."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Protocol

from aiokafka import AIOKafkaConsumer, TopicPartition

from tarsy_bus.client.outages import wait_out
from tarsy_bus.pacing import Pacer
from tarsy_bus.readers.partition_reader import Record, next_offset, poll
from tarsy_bus.readers.records import append_time
from tarsy_orchestrator.partition.inputs.group_membership import GroupMembership
from tarsy_orchestrator.partition.inputs.inbox_reader import InboxOutcome, InboxReader
from tarsy_service.process.alerts_under_way import AlertsUnderWay

POLL_MS = 200
INPUTS_AT_ONCE = 500
FLOOD_INPUTS, FLOOD_SECONDS = 12, 0.25
"""While this process accepts a flood of alerts, it takes so many inputs, and so often."""
MARKERS_SECONDS = 1.0
"""How often a recovered partition looks past offsets that hold no record."""

type Found = Mapping[TopicPartition, Sequence[Record]]


class InboxPartition(Protocol):
    """One owned partition, from the side of its inbox."""

    @property
    def recovered(self) -> bool: ...
    @property
    def is_full(self) -> bool: ...
    def accept(self, offset: int, at: datetime, outcome: InboxOutcome) -> None: ...
    def mark_drained(self) -> None: ...
    def skip_inbox_to(self, offset: int) -> None: ...


class InboxFeed:
    """`owned` returns a partition whose inbox is handed out."""

    def __init__(
        self,
        topic: str,
        *,
        consumer: AIOKafkaConsumer,
        membership: GroupMembership,
        reader: InboxReader,
        owned: Callable[[int], InboxPartition],
        alerts: AlertsUnderWay,
        monotonic: Callable[[], float],
    ) -> None:
        self._topic = topic
        self._consumer = consumer
        self._membership = membership
        self._reader = reader
        self._owned = owned
        self._alerts = alerts
        self._monotonic = monotonic
        self._last = -1
        self._look_at = 0.0
        self._looks_at_all = True

    async def take(self) -> None:
        """Waits for inputs, a fraction of a second at most, and hands them out.

        It polls also while all is paused for a recovery: the group expels a member that does not poll for long.
        """
        self._looks_at_all = self._monotonic() >= self._look_at
        if self._looks_at_all:
            self._look_at = self._monotonic() + MARKERS_SECONDS
        if self._alerts.are_flood:
            await asyncio.sleep(FLOOD_SECONDS)
            await self._take_in_turn(self._membership.handing_out, FLOOD_INPUTS)
        else:
            found = await self._take_any(INPUTS_AT_ONCE, timeout_ms=POLL_MS)
            if _count_records(found) >= INPUTS_AT_ONCE:
                others = self._membership.handing_out - {topic_partition.partition for topic_partition in found}
                await self._take_in_turn(others, INPUTS_AT_ONCE)

    def apply_backpressure(self) -> None:
        """Pauses the inbox of a partition in which many inputs wait, until they are decided."""
        all_paused = self._consumer.paused()
        for number in self._membership.handing_out:
            topic_partition = self._partition_of(number)
            is_full, paused = self._owned(number).is_full, topic_partition in all_paused
            if is_full and not paused:
                self._consumer.pause(topic_partition)
            elif paused and not is_full:
                self._consumer.resume(topic_partition)

    async def _take_in_turn(self, numbers: Collection[int], most: int) -> None:
        """aiokafka empties one partition after the other: those behind a full one would wait until that is empty."""
        share, left = max(1, most // max(1, len(numbers))), most
        for number in in_turn(numbers, self._last):
            if left <= 0:
                return
            found = await self._poll_inputs(min(share, left), self._partition_of(number))
            if found:
                self._last = number
                left -= _count_records(found)
            await self._note_drained({number} & self._membership.handing_out, found)
        await self._take_any(max(1, left))

    async def _take_any(self, most: int, *, timeout_ms: int = 0) -> Found:
        found = await self._poll_inputs(most, timeout_ms=timeout_ms)
        if _count_records(found) < most:
            await self._note_drained(self._membership.handing_out, found)
        return found

    async def _poll_inputs(self, most: int, *topic_partitions: TopicPartition, timeout_ms: int = 0) -> Found:
        found = await wait_out(
            "inputs", partial(poll, self._consumer, *topic_partitions, timeout_ms=timeout_ms, max_records=most)
        )
        # Read only now: a call that began before a rebalance may return what came after it.
        generation, pacer = self._membership.generation, Pacer()
        for topic_partition, records in found.items():
            for record in records:
                await pacer.let_others_run()
                if (
                    generation == self._membership.generation
                    and topic_partition.partition in self._membership.handing_out
                ):
                    outcome = self._reader.read(record)
                    self._owned(topic_partition.partition).accept(record.offset, append_time(record), outcome)
        return found

    async def _note_drained(self, numbers: Iterable[int], found: Found) -> None:
        """These were asked for all that was fetched of them."""
        drained = [number for number in numbers if self._partition_of(number) not in found]
        for number in drained:
            self._owned(number).mark_drained()
        waiting = [number for number in drained if self._looks_at_all or not self._owned(number).recovered]
        await self._skip_markers(waiting)

    async def _skip_markers(self, drained: Collection[int]) -> None:
        """At the end of an inbox the marker of a transaction may be: an offset, no record. A recovery waits for it, and
        the lag of the group would never be none.
        """
        generation = self._membership.generation
        for number in drained:
            if generation != self._membership.generation:
                return
            offset = await next_offset(self._consumer, self._partition_of(number))
            if offset is None:
                return
            if generation == self._membership.generation:
                self._owned(number).skip_inbox_to(offset)

    def _partition_of(self, number: int) -> TopicPartition:
        return TopicPartition(self._topic, number)


def in_turn(numbers: Iterable[int], last: int) -> list[int]:
    """In order, beginning after the last one served."""
    return sorted(numbers, key=lambda number: (number <= last, number))


def _count_records(found: Found) -> int:
    return sum(map(len, found.values()))
