"""FastStream subscriber of one topic, as a member of a group. A record is taken, or refused, or ends the reading.

FastStream runs the pipeline of each record: middleware, parser, decoder, handler. FastStream swallows exceptions of the
handler and reads on. The middleware records the outcome first, so that nothing is committed without one.
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import override

from faststream import AckPolicy, BaseMiddleware, ContextRepo
from faststream.kafka import KafkaBroker
from faststream.message import StreamMessage
from faststream.response import PublishCommand

from tarsy_bus.queues.faststream_internals import RecordSubscriber, connect_with, tasks_of
from tarsy_bus.queues.group_consumer import GroupConsumer
from tarsy_bus.readers.partition_reader import Record

type Refuse = Callable[[Record, Exception], Awaitable[None]]
"""Writes the record to the dead letters. Raises the error when it says nothing of the record."""


async def subscribe[M](
    consumer: GroupConsumer,
    *,
    decode: Callable[[Record], M],
    handler: Callable[[M], Awaitable[None]],
    refuse: Refuse,
) -> None:
    """Reads for ever, record by record. `refuse` is asked about each error of `decode` and `handler`.

    Raises what `refuse` raises, and why the consumer ended.
    """
    # It connects to nothing: the consumer is ours. It waits for no handler, since `_end_subscriber` cancels and waits.
    broker = KafkaBroker(
        consumer_only=True,
        allow_auto_create_topics=False,
        apply_types=False,
        serializer=None,
        logger=None,
        graceful_timeout=None,
        middlewares=[partial(_HandOver, consumer, refuse)],
    )

    async def decode_message(message: StreamMessage[Record]) -> M:
        return decode(message.raw_message)

    subscriber = broker.subscriber(
        consumer.topic, ack_policy=AckPolicy.MANUAL, parser=_message_of, decoder=decode_message
    )
    subscriber(handler)
    await connect_with(broker, lambda: consumer)
    try:
        await broker.start()
        await asyncio.wait(tasks_of(subscriber))
        raise consumer.problem or RuntimeError("a subscriber has ended by itself")
    finally:
        await _end_subscriber(subscriber)


async def _end_subscriber(subscriber: RecordSubscriber) -> None:
    """The handler comes to its end first, then the last commit. FastStream's `stop` waits for no task that it ends."""
    reading = tasks_of(subscriber)
    for task in reading:
        task.cancel()
    try:
        if reading:
            await asyncio.wait(reading)
    finally:
        await subscriber.stop()


async def _message_of(record: Record) -> StreamMessage[Record]:
    """Headers may be anything: the decoder of the record checks them."""
    position = f"{record.topic}-{record.partition}-{record.offset}"
    return StreamMessage(record, record.value, correlation_id=position)


class _HandOver(BaseMiddleware[PublishCommand, Record]):
    def __init__(self, consumer: GroupConsumer, refuse: Refuse, record: Record, /, *, context: ContextRepo) -> None:
        super().__init__(record, context=context)
        self._consumer = consumer
        self._refuse = refuse

    @override
    async def after_processed(
        self,
        exc_type: type[BaseException] | None = None,
        exc_val: BaseException | None = None,
        exc_tb: object = None,
    ) -> bool:
        """True when the record needs nothing more. One that was cancelled is nobody's."""
        if exc_val is not None and not isinstance(exc_val, Exception):
            return False
        try:
            if exc_val is not None:
                await self._refuse(self.msg, exc_val)
        except Exception as problem:  # noqa: BLE001 - it comes out of `subscribe`
            self._consumer.fail(problem)
            return False
        self._consumer.mark_handed_over(self.msg)
        return True
