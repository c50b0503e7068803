"""Ends of sessions, which clients get only when the API shows them: a reader of the API then sees the same."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tarsy_contracts import events as e
from tarsy_websocket_gateway.messages.outgoing import Outgoing
from tarsy_websocket_gateway.timeline.timeline_progress import TimelineProgress

LONGEST_SECONDS = 5.0
"""While the API is away, what is live goes on: clients are told so late, and no later."""
HELD_EVENTS = e.ENDINGS | {e.SessionDeleted.type}

type Publish = Callable[[str, Iterable[Outgoing]], None]


@dataclass(frozen=True, slots=True)
class Place:
    """An event's place in the log."""

    partition: int
    offset: int


@dataclass(slots=True)
class _Held:
    messages: Iterable[Outgoing]
    shown: bool


class Endings:
    """Publishes in order. Messages that follow an end that is held wait behind it, in its own session only."""

    def __init__(self, publish: Publish, progress: TimelineProgress) -> None:
        self._publish = publish
        self._progress = progress
        self._held: dict[str, deque[_Held]] = {}
        self._due: asyncio.Queue[tuple[str, _Held, Place]] = asyncio.Queue()

    def publish(self, session_id: str, messages: Iterable[Outgoing], end: Place | None = None) -> None:
        """`end`: the place of the event that ended the session."""
        queue = self._held.get(session_id)
        if end is None and queue is None:
            self._publish(session_id, messages)
            return
        held = _Held(list(messages), shown=end is None)
        self._held.setdefault(session_id, deque()).append(held)
        if end is not None:
            self._due.put_nowait((session_id, held, end))

    async def run(self) -> None:
        """Releases what is held, for ever."""
        async with asyncio.TaskGroup() as group:
            while True:
                session_id, held, end = await self._due.get()
                group.create_task(self._release_when_projected(session_id, held, end))

    async def _release_when_projected(self, session_id: str, held: _Held, end: Place) -> None:
        await self._progress.wait_until_reached({end.partition: end.offset + 1}, LONGEST_SECONDS)
        held.shown = True
        queue = self._held[session_id]
        while queue and queue[0].shown:
            self._publish(session_id, queue.popleft().messages)
        if not queue:
            del self._held[session_id]
