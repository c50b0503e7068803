"""Every event once, in the order of its session: repeats are dropped, and nothing is lost when this program dies."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from faststream import AckPolicy, BaseMiddleware, FastStream
from faststream.kafka import KafkaMessage
from faststream.message import StreamMessage
from kafka_of_tarsy import TOPIC, connect

from tarsy_contracts.public.duplicates import LastSequences
from tarsy_contracts.public.events import PUBLIC_EVENTS

last = LastSequences()


class Once(BaseMiddleware):
    """A program with a database keeps the sequence there, in the transaction of what it does with the event."""

    async def consume_scope(
        self, call_next: Callable[[StreamMessage[Any]], Awaitable[Any]], msg: StreamMessage[Any]
    ) -> Any:
        session, sequence = msg.headers["ce_subject"], int(msg.headers["ce_sequence"])
        if last.is_new(session, sequence):
            await call_next(msg)
            last.remember(session, sequence)


broker = connect()
broker.add_middleware(Once)


@broker.subscriber(
    TOPIC, group_id="tarsy.consumer-once", auto_offset_reset="earliest", ack_policy=AckPolicy.NACK_ON_ERROR
)
async def count(message: KafkaMessage) -> None:
    kind = PUBLIC_EVENTS.get(message.headers["ce_type"])
    if kind is None:
        return  # a newer TARSy has more types
    event = kind.model_validate_json(message.body)
    print(message.headers["ce_subject"], message.headers["ce_sequence"], type(event).__name__, flush=True)


if __name__ == "__main__":
    asyncio.run(FastStream(broker).run())
