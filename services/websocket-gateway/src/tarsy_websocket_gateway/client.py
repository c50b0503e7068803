"""Queue of one client, which may read slowly: bounded, and streamed text is joined while it waits."""

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tarsy_websocket_gateway.outgoing import Outgoing, TextDelta

MOST_WAITING_BYTES = 16 * 1024 * 1024
"""Limit for one client. One history may be longer: it is sent when nothing else waits."""
JOINING_FROM = 16
"""A client is slow from so many waiting places on: streamed text is joined then, which makes fewer messages of it."""
ENDS_TEXT = frozenset({"timeline_event.completed", "stream.reset"})
"""Types of messages that make the text of their timeline event void, as far as it still waits."""


@dataclass(slots=True)
class _Waiting:
    """A message in the queue. `pieces`, which were joined, replace its text; without a message nothing is sent."""

    message: Outgoing | None
    size: int
    newest: TextDelta | None = None
    pieces: list[str] = field(default_factory=list)

    def join(self, delta: TextDelta) -> None:
        self.newest = delta
        self.pieces.append(delta.text)

    def sent(self) -> str | None:
        if self.newest is not None and len(self.pieces) > 1:
            return replace(self.newest, text="".join(self.pieces)).outgoing().text
        return self.message.text if self.message is not None else None


class Client:
    """`overflowed` is set when the client did not read fast enough."""

    def __init__(self, limit: int, most_bytes: int = MOST_WAITING_BYTES) -> None:
        self._limit = limit
        self._most_bytes = most_bytes
        self._places: deque[list[_Waiting]] = deque()
        self._joining: dict[str, _Waiting] = {}
        self._bytes = 0
        self._filled = asyncio.Event()
        self.overflowed = asyncio.Event()

    def send(self, messages: Sequence[Outgoing]) -> None:
        """Messages that belong together take one place in the queue: a long history does not fill it."""
        if not messages or self.overflowed.is_set():
            return
        slow = len(self._places) >= JOINING_FROM
        place = [waiting for one in messages if (waiting := self._waiting(one, slow=slow)) is not None]
        size = sum(one.size for one in place)
        full = bool(place) and len(self._places) >= self._limit
        if full or (self._bytes and self._bytes + size > self._most_bytes):
            self.overflowed.set()
            return
        if place:
            self._bytes += size
            self._places.append(place)
            self._filled.set()

    async def next(self) -> list[str]:
        """The texts of the next place; none where they have become void."""
        await self._filled.wait()
        place = self._places.popleft()
        if not self._places:
            self._filled.clear()
            self._joining.clear()
        for one in place:
            self._bytes -= one.size
            if one.newest is not None and self._joining.get(one.newest.event_id) is one:
                del self._joining[one.newest.event_id]
        return [text for text in (one.sent() for one in place) if text is not None]

    def _waiting(self, message: Outgoing, *, slow: bool) -> _Waiting | None:
        """None when it was joined to what waits already."""
        if message.delta is None:
            self._end_text(message)
            return _Waiting(message, message.size)
        if not slow:
            return _Waiting(message, message.size)
        waiting = self._joining.get(message.delta.event_id)
        if waiting is not None and waiting.newest is not None and message.delta.continues(waiting.newest):
            grown = len(message.delta.text.encode())
            waiting.join(message.delta)
            waiting.size += grown
            self._bytes += grown
            return None
        self._joining[message.delta.event_id] = fresh = _Waiting(message, message.size)
        fresh.join(message.delta)
        return fresh

    def _end_text(self, message: Outgoing) -> None:
        """Text that comes later is not put before this message."""
        waiting = self._joining.pop(message.event_id or "", None)
        if waiting is not None and message.type in ENDS_TEXT:
            self._bytes -= waiting.size
            waiting.message, waiting.newest, waiting.size = None, None, 0
