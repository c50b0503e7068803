"""Requests out of the queue. They are committed some time after they were handed over.

Not at once, which would cost each of them a write and a wait: one that comes twice is harmless, as one that is lost.
"""

from collections.abc import Awaitable, Callable
from datetime import datetime

import structlog
from aiokafka.errors import KafkaError

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.fetch_progress import ignore_step
from tarsy_bus.client.outages import passes
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.dead_letters.burial import dead_letter_until_written
from tarsy_bus.queues.group_consumer import GroupConsumer
from tarsy_bus.queues.group_subscriber import subscribe
from tarsy_bus.readers.partition_reader import Record
from tarsy_bus.readers.records import append_time, delivery
from tarsy_contracts.events.recorded import UnknownTypeError, UnreadableValueError
from tarsy_contracts.wire.envelope import EnvelopeError
from tarsy_contracts.wire.message import Message

log = structlog.get_logger(__name__)

COMMIT_SECONDS = 1.0


async def consume[M: Message](
    bus: Bus,
    publisher: Publisher,
    *,
    topic: str,
    group: str,
    kind: type[M],
    handler: Callable[[M], Awaitable[None]],
    heartbeat: Callable[[], None] = ignore_step,
    taken: Callable[[datetime], None] = lambda _: None,
) -> None:
    """Reads the queue for ever, as one of its group. Unreadable records go to the dead letters.

    `taken` is told when each record had been written.
    """

    def decode(record: Record) -> M:
        taken(append_time(record))
        return delivery(record).decode({kind.type: kind})

    async def refuse(record: Record, problem: Exception) -> None:
        if isinstance(problem, KafkaError) and passes(problem):
            # An outage that the handler met. The owner publishes the request again.
            log.warning("request.dropped", topic=topic, offset=record.offset, reason=repr(problem))
            return
        if not isinstance(problem, EnvelopeError | UnknownTypeError | UnreadableValueError):
            raise problem
        await dead_letter_until_written(publisher, record, str(problem))

    # A request that is lost is published again by its owner.
    consumer = GroupConsumer(bus, topic, group, may_skip=True, commit_seconds=COMMIT_SECONDS, heartbeat=heartbeat)
    await subscribe(consumer, decode=decode, handler=handler, refuse=refuse)
