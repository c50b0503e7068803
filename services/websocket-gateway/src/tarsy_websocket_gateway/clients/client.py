"""One client, which may read slowly: what waits for it is bounded, and streamed text is joined while it waits."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from tarsy_service.http.websocket_frames import FrameWriter
from tarsy_websocket_gateway.messages.outgoing import Outgoing, TextDelta

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

    def frame(self) -> bytes | None:
        if self.newest is not None and len(self.pieces) > 1:
            return replace(self.newest, text="".join(self.pieces)).to_outgoing().frame
        return self.message.frame if self.message is not None else None


type Count = Callable[[int], None]
"""Counts messages that were sent."""


class Client:
    """Writes at once to a client that keeps up; `run` writes what waits for one that does not.

    `overflowed` is set when it did not read fast enough.
    """

    def __init__(
        self, writer: FrameWriter, limit: int, most_bytes: int = MOST_WAITING_BYTES, sent: Count = lambda _: None
    ) -> None:
        self._writer = writer
        self._sent = sent
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
        if not self._places and self._writer.is_writable:
            self._write_frames([one.frame for one in messages])
            return
        slow = len(self._places) >= JOINING_FROM
        slots = [waiting for one in messages if (waiting := self._join_or_wait(one, slow=slow)) is not None]
        size = sum(one.size for one in slots)
        full = bool(slots) and len(self._places) >= self._limit
        if full or (self._bytes and self._bytes + size > self._most_bytes):
            self.overflowed.set()
            return
        if slots:
            self._bytes += size
            self._places.append(slots)
            self._filled.set()

    async def run(self) -> None:
        """Writes what waits whenever the client reads, for ever."""
        while True:
            await self._filled.wait()
            await self._writer.until_writable()
            # No await from here on: what is sent meanwhile would overtake it.
            self._write_frames(self._next_frames())

    def _write_frames(self, frames: Sequence[bytes]) -> None:
        if frames:
            self._writer.write_frames(frames)
            self._sent(len(frames))

    def _next_frames(self) -> list[bytes]:
        """The frames of the next place; none where they have become void."""
        slot = self._places.popleft()
        if not self._places:
            self._filled.clear()
            self._joining.clear()
        for one in slot:
            self._bytes -= one.size
            if one.newest is not None and self._joining.get(one.newest.event_id) is one:
                del self._joining[one.newest.event_id]
        return [frame for frame in (one.frame() for one in slot) if frame is not None]

    def _join_or_wait(self, message: Outgoing, *, slow: bool) -> _Waiting | None:
        """None when it was joined to what waits already."""
        if message.delta is None:
            self._stop_joining(message)
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

    def _stop_joining(self, message: Outgoing) -> None:
        """Text that comes later is not put before this message."""
        waiting = self._joining.pop(message.event_id or "", None)
        if waiting is not None and message.type in ENDS_TEXT:
            self._bytes -= waiting.size
            waiting.message, waiting.newest, waiting.size = None, None, 0
