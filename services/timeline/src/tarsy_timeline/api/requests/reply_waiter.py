"""Replies of session owners to people's requests: they come through `tarsy.control`, and somebody waits for each."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.controls import follow_control
from tarsy_contracts.messages.control import Control, RequestAnswered
from tarsy_service.http.problems import ProblemError

MOST_WAITERS = 1_000

type Answer = asyncio.Future[RequestAnswered | None]
"""None: nobody reads answers here any longer. The request is on its way all the same."""


class ReplyWaiter:
    """Each process reads all of the topic, from its end as it was at the start: it waits for nothing older."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._waiting: defaultdict[str, set[Answer]] = defaultdict(set)
        self._ended = False

    async def run(self, ready: Callable[[], None], heartbeat: Callable[[], None]) -> None:
        """A process that stops lets go of those that wait: they would be broken off, a moment later."""
        self._ended = False
        try:
            await follow_control(self._bus, self._resolve_waiting, ready, heartbeat)
        finally:
            self._ended = True
            for answer in [answer for waiting in self._waiting.values() for answer in waiting if not answer.done()]:
                answer.set_result(None)

    @contextmanager
    def to(self, request_id: str) -> Iterator[Answer]:
        """The answer to come. Enter it before the request is published. Raises ProblemError when too many wait."""
        if len(self._waiting) >= MOST_WAITERS:
            raise ProblemError(503, "Too busy", "Too many requests wait for an answer. Try again later.")
        answer: Answer = asyncio.get_running_loop().create_future()
        if self._ended:
            answer.set_result(None)
        self._waiting[request_id].add(answer)
        try:
            yield answer
        finally:
            self._waiting[request_id].discard(answer)
            if not self._waiting[request_id]:
                del self._waiting[request_id]

    def _resolve_waiting(self, control: Control) -> None:
        if isinstance(control, RequestAnswered):
            for answer in self._waiting.get(control.request_id, ()):
                if not answer.done():
                    answer.set_result(control)
