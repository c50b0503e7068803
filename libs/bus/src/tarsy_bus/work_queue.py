"""Requests out of the queue. They are committed some time after they were handed over.

Not at once, which would cost each of them a write and a wait: one that comes twice is harmless, as one that is lost.
"""

import asyncio
from collections.abc import Awaitable, Callable

import structlog
from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import IllegalStateError, KafkaError

from tarsy_bus.client_lifecycle import start_client, stop_client
from tarsy_bus.connection import Bus, member
from tarsy_bus.dead_letters import dead_letter_until_written
from tarsy_bus.fetch_progress import FetchProgress, uncounted
from tarsy_bus.outages import passes
from tarsy_bus.partition_reader import Record, poll
from tarsy_bus.publisher import Publisher
from tarsy_bus.records import delivery
from tarsy_bus.retries import growing_pauses
from tarsy_bus.start_positions import AssignedPartitions
from tarsy_bus.tolerant_consumer import PositionLostError
from tarsy_contracts.envelope import EnvelopeError
from tarsy_contracts.message import Message
from tarsy_contracts.recorded import UnknownTypeError, UnreadableValueError, decode

log = structlog.get_logger(__name__)

POLL_MS = 500
MOST_AT_ONCE = 100
COMMIT_SECONDS = 1.0
LAST_COMMIT_SECONDS = 2.0
REBALANCED = (IllegalStateError,)
"""Errors of a commit whose partition was taken away meanwhile, beside errors that pass."""


async def consume[M: Message](
    bus: Bus,
    publisher: Publisher,
    *,
    topic: str,
    group: str,
    kind: type[M],
    handler: Callable[[M], Awaitable[None]],
    stepped: Callable[[], None] = uncounted,
) -> None:
    """Reads the queue for ever, as one of its group. Unreadable records go to the dead letters.

    Not on FastStream: its commit covers all positions of the consumer, and a header without a value is lost before
    any middleware sees it.
    """
    consumer = member(bus, group)
    # A request that is lost is published again by its owner.
    assigned = AssignedPartitions(consumer, may_skip=True)
    consumer.subscribe([topic], listener=assigned)
    commits, fetches = _Commits(consumer), FetchProgress(consumer)
    try:
        await start_client(consumer)
        pauses = growing_pauses()
        while True:
            try:
                await assigned.open()
                await _take_some(consumer, commits, publisher, kind, handler)
                pauses = growing_pauses()
                if fetches.answered():
                    stepped()
            except PositionLostError as lost:
                assigned.skip(lost)
            except KafkaError as problem:
                if not (passes(problem) or isinstance(problem, REBALANCED)):
                    raise
                # Uncommitted requests come again, here or elsewhere.
                log.warning("requests.interrupted", topic=topic, problem=type(problem).__name__)
                await asyncio.sleep(next(pauses))
    finally:
        await commits.commit_at_last()
        await stop_client(consumer)


class _Commits:
    """Up to where the requests were handed over, of the partitions that are still ours."""

    def __init__(self, consumer: AIOKafkaConsumer) -> None:
        self._consumer = consumer
        self._offsets: dict[TopicPartition, int] = {}
        self._due = 0.0

    def handed_over(self, place: TopicPartition, offset: int) -> None:
        self._offsets[place] = offset

    async def commit_when_due(self) -> None:
        """Raises KafkaError."""
        now = asyncio.get_running_loop().time()
        if self._offsets and now >= self._due:
            self._due = now + COMMIT_SECONDS
            await self._commit()

    async def commit_at_last(self) -> None:
        try:
            async with asyncio.timeout(LAST_COMMIT_SECONDS):
                await self._commit()
        except (KafkaError, TimeoutError) as problem:
            log.warning("requests.not_committed", problem=type(problem).__name__)

    async def _commit(self) -> None:
        ours = self._consumer.assignment()
        offsets = {place: offset for place, offset in self._offsets.items() if place in ours}
        self._offsets.clear()
        if offsets:
            await self._consumer.commit(offsets)


async def _take_some[M: Message](
    consumer: AIOKafkaConsumer,
    commits: _Commits,
    publisher: Publisher,
    kind: type[M],
    handler: Callable[[M], Awaitable[None]],
) -> None:
    found = await poll(consumer, timeout_ms=POLL_MS, max_records=MOST_AT_ONCE)
    for place, records in found.items():
        for record in records:
            request = await _readable(publisher, record, kind)
            if request is not None:
                await handler(request)
        commits.handed_over(place, records[-1].offset + 1)
    await commits.commit_when_due()


async def _readable[M: Message](publisher: Publisher, record: Record, kind: type[M]) -> M | None:
    try:
        found = delivery(record)
        return decode({kind.type: kind}, found.envelope, found.value)
    except (EnvelopeError, UnknownTypeError, UnreadableValueError) as problem:
        await dead_letter_until_written(publisher, record, str(problem))
        return None
