"""Requests out of the queue. They are committed once they are handed over: a lost one is published again."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog
from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError

from tarsy_bus.connection import Bus, member
from tarsy_bus.dead_letters import bury_until_written
from tarsy_bus.following import Record
from tarsy_bus.publisher import Publisher
from tarsy_bus.records import delivery
from tarsy_contracts.envelope import EnvelopeError
from tarsy_contracts.message import Message
from tarsy_contracts.recorded import UnknownType, UnreadableValue, decode

log = structlog.get_logger(__name__)

POLL_MS = 500
MOST_AT_ONCE = 100
PAUSE_SECONDS = 1.0


async def take_requests[M: Message](
    bus: Bus,
    publisher: Publisher,
    *,
    topic: str,
    group: str,
    kind: type[M],
    hand_over: Callable[[M], Awaitable[None]],
) -> None:
    """Reads the queue for ever, as one of its group. What cannot be read goes to the dead letters.

    Not on FastStream: its commit covers all positions of the consumer, and a header without a value is lost before
    any middleware sees it.
    """
    consumer = member(bus, group)
    consumer.subscribe([topic])
    await consumer.start()
    try:
        while True:
            try:
                await _take_some(consumer, publisher, kind, hand_over)
            except KafkaError as problem:
                # A rebalance, or a broker that is away. What was not committed comes again, here or elsewhere.
                log.warning("requests.interrupted", topic=topic, problem=type(problem).__name__)
                await asyncio.sleep(PAUSE_SECONDS)
    finally:
        await consumer.stop()


async def _take_some[M: Message](
    consumer: AIOKafkaConsumer, publisher: Publisher, kind: type[M], hand_over: Callable[[M], Awaitable[None]]
) -> None:
    found: dict[TopicPartition, list[Record]] = await consumer.getmany(timeout_ms=POLL_MS, max_records=MOST_AT_ONCE)
    for records in found.values():
        for record in records:
            request = await _readable(publisher, record, kind)
            if request is not None:
                await hand_over(request)
    if found:
        await consumer.commit({place: records[-1].offset + 1 for place, records in found.items()})


async def _readable[M: Message](publisher: Publisher, record: Record, kind: type[M]) -> M | None:
    try:
        found = delivery(record)
        return decode({kind.type: kind}, found.envelope, found.value)
    except (EnvelopeError, UnknownType, UnreadableValue) as problem:
        await bury_until_written(publisher, record, str(problem))
        return None
