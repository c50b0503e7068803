"""Undocumented parts of FastStream, all in one place: a consumer of our own, and the task that reads from it.

`libs/bus/tests/test_faststream_internals.py` lists them, and says which an upgrade has moved.
"""

import asyncio
from collections.abc import Callable

from faststream.kafka import KafkaBroker
from faststream.kafka.subscriber.usecase import DefaultSubscriber

type RecordSubscriber = DefaultSubscriber


async def connect_with[C](broker: KafkaBroker, build: Callable[[], C]) -> None:
    """From now on the broker's subscribers read from what `build` returns. `connect` has set a builder of its own.

    FastStream calls `subscribe`, `start`, `getone` and `stop` of it, and nothing else while the broker has no logger.
    """
    await broker.connect()
    broker.config.broker_config.builder = lambda **_: build()


def tasks_of(subscriber: RecordSubscriber) -> list["asyncio.Task[object]"]:
    """The tasks that FastStream has started for a subscriber, one if it has a handler."""
    return list(subscriber.tasks)
