"""Replies of session owners to people's requests: they come through `tarsy.control`, and somebody waits for each."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tarsy_bus.connection import Bus
from tarsy_bus.controls import follow_control
from tarsy_contracts.control import Control, RequestAnswered
from tarsy_service.problems import ProblemError

MOST_WAITERS = 1_000

type Answer = asyncio.Future[RequestAnswered]


class ReplyWaiter:
    """Each process reads all of the topic, from its end as it was at the start: it waits for nothing older."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._waiting: defaultdict[str, set[Answer]] = defaultdict(set)

    async def run(self, ready: Callable[[], None], stepped: Callable[[], None]) -> None:
        await follow_control(self._bus, self._take, ready, stepped)

    @contextmanager
    def to(self, request_id: str) -> Iterator[Answer]:
        """The answer to come. Enter it before the request is published. Raises ProblemError when too many wait."""
        if len(self._waiting) >= MOST_WAITERS:
            raise ProblemError(503, "Too busy", "Too many requests wait for an answer. Try again later.")
        answer: Answer = asyncio.get_running_loop().create_future()
        self._waiting[request_id].add(answer)
        try:
            yield answer
        finally:
            self._waiting[request_id].discard(answer)
            if not self._waiting[request_id]:
                del self._waiting[request_id]

    def _take(self, told: Control) -> None:
        if isinstance(told, RequestAnswered):
            for answer in self._waiting.get(told.request_id, ()):
                if not answer.done():
                    answer.set_result(told)
