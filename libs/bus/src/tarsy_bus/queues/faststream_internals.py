"""Undocumented parts of FastStream, all in one place: a consumer of our own, and the task that reads from it.

`find_missing_faststream_parts` says which of them an upgrade has moved; a test asks it.
"""

import asyncio
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields

from faststream.kafka import KafkaBroker
from faststream.kafka.configs import KafkaBrokerConfig
from faststream.kafka.subscriber.usecase import DefaultSubscriber, LogicSubscriber

CALLED_OF_OURS: Mapping[Callable[..., object], tuple[str, ...]] = {
    LogicSubscriber.start: ("self.builder(", "consumer.subscribe(", "consumer.start()", "self._run_consume_loop"),
    LogicSubscriber.stop: ("self.consumer.stop()",),
    LogicSubscriber.add_task: ("self.tasks.append(",),
    LogicSubscriber._run_consume_loop: ("except ConsumerStoppedError",),
    DefaultSubscriber.get_msg: ("consumer.getone()",),
}
"""Functions of FastStream, and the code of them that a consumer of ours stands on."""

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


def find_missing_faststream_parts() -> Iterator[str]:
    """Sentences about the parts that the installed FastStream does not have where we look for them."""
    if "builder" not in {one.name for one in fields(KafkaBrokerConfig)}:
        yield _missing_part_message("KafkaBrokerConfig", "builder")
    for function, used in CALLED_OF_OURS.items():
        source = inspect.getsource(function)
        yield from (_missing_part_message(function.__qualname__, part) for part in used if part not in source)


def _missing_part_message(where: str, part: str) -> str:
    return f"FastStream's {where} has no {part!r} any more: see tarsy_bus/queues/faststream_internals.py"
