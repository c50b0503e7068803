"""Waiting for the owner's answer to a person's request, which comes through `tarsy.control`."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tarsy_bus.connection import Bus
from tarsy_bus.following import Follower, Record, ends, readable
from tarsy_contracts.control import CONTROLS, RequestAnswered
from tarsy_contracts.recorded import UnknownType, UnreadableValue
from tarsy_contracts.topics import Topic
from tarsy_service.problems import Problem

MOST_WAITERS = 1_000

type Answer = asyncio.Future[RequestAnswered]


class Answers:
    """Each process reads all of the topic, from its end as it was at the start: it waits for nothing older."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._waiting: defaultdict[str, set[Answer]] = defaultdict(set)

    async def run(self, ready: Callable[[], None]) -> None:
        topic = _control(self._bus)
        positions = await ends(self._bus, topic.name, list(range(topic.partitions)))
        async with Follower(self._bus, topic.name).running() as follower:
            follower.assign(positions)
            ready()
            while True:
                for record in await follower.read():
                    self._take(record)

    @contextmanager
    def to(self, request_id: str) -> Iterator[Answer]:
        """The answer to come. Enter it before the request is published. Raises Problem when too many wait."""
        if len(self._waiting) >= MOST_WAITERS:
            raise Problem(503, "Too busy", "Too many requests wait for an answer. Try again later.")
        answer: Answer = asyncio.get_running_loop().create_future()
        self._waiting[request_id].add(answer)
        try:
            yield answer
        finally:
            self._waiting[request_id].discard(answer)
            if not self._waiting[request_id]:
                del self._waiting[request_id]

    def _take(self, record: Record) -> None:
        delivery = readable(record)
        if delivery is None or delivery.envelope.type != RequestAnswered.type:
            return
        try:
            message = delivery.decode(CONTROLS)
        except (UnknownType, UnreadableValue):
            return
        if isinstance(message, RequestAnswered):
            for answer in self._waiting.get(message.request_id, ()):
                if not answer.done():
                    answer.set_result(message)


def _control(bus: Bus) -> Topic:
    return next(topic for topic in bus.topics.all() if topic.name == bus.topics.control)
