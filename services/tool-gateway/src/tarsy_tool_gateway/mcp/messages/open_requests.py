"""Open requests of a session, and which of them an answer belongs to that names none of them."""

from collections.abc import Iterator
from dataclasses import dataclass

from mcp_types import JSONRPCMessage, JSONRPCNotification, JSONRPCRequest

CALL = "tools/call"
CANCELLED = "notifications/cancelled"
MOST_REMEMBERED = 1000
"""Requests that wait, that have ended, and strays, each."""


@dataclass(frozen=True, slots=True)
class Open:
    """`number` counts the requests of the session."""

    method: str
    number: int


@dataclass(frozen=True, slots=True)
class Stray:
    """An answer to nobody. `after`: the number of the request that was sent last when it came."""

    why: str
    after: int


class OpenRequests:
    """On one stream for all calls. A request has one answer: where no more requests wait than strays came, each of
    these is one of their answers.
    """

    def __init__(self) -> None:
        self.asked_a_tool = False
        self._open: dict[int, Open] = {}
        self._ended: dict[int, int | None] = {}
        self._strays: list[Stray] = []
        self._sent = 0
        self._notified_after: int | None = None

    def note_sent(self, message: JSONRPCMessage) -> None:
        match message:
            case JSONRPCRequest(id=int() as id, method=method):
                self._sent += 1
                self.asked_a_tool = self.asked_a_tool or method == CALL
                self._open[id] = Open(method, self._sent)
                if len(self._open) > MOST_REMEMBERED:
                    self._note_end(next(iter(self._open)), None)
            case JSONRPCNotification(method=method, params=params):
                self._notified_after = self._sent
                if method == CANCELLED and isinstance(cancelled := (params or {}).get("requestId"), int):
                    self._note_end(cancelled, None)
            case _:
                pass  # an answer of ours

    def ids(self) -> list[int]:
        return list(self._open)

    def method_of(self, id: int | None) -> str | None:
        """None for what nobody waits for."""
        found = self._open.get(id) if id is not None else None
        return found.method if found is not None else None

    def note_answered(self, id: int, size: int) -> None:
        """`size` of the answer, in bytes."""
        number = self._open[id].number
        self._note_end(id, size)
        if self._notified_after is not None and number > self._notified_after:
            self._notified_after = None

    def has_ended(self, id: int | None, size: int) -> bool:
        """Whether such an answer comes too late, or again."""
        return id in self._ended and self._ended[id] in (None, size)

    def note_stray(self, why: str, *, of_error: bool) -> None:
        """Old servers answer a notification with an error, before they answer what was sent after it."""
        if of_error and self._notified_after is not None:
            return
        if len(self._strays) < MOST_REMEMBERED:
            self._strays.append(Stray(why, self._sent))

    def match_strays(self) -> Iterator[tuple[int, str]]:
        """Each id with what is wrong with its answer; they wait no longer."""
        if not self._strays:
            return
        waiting = [id for id, each in self._open.items() if each.number <= self._strays[-1].after]
        if len(waiting) > len(self._strays):
            return
        strays, self._strays = self._strays, []
        for id, stray in zip(waiting, strays, strict=False):
            self._note_end(id, None)
            yield id, stray.why

    def _note_end(self, id: int, size: int | None) -> None:
        """`size`: None where no answer came."""
        if self._open.pop(id, None) is not None:
            self._ended[id] = size
        if len(self._ended) > MOST_REMEMBERED:
            del self._ended[next(iter(self._ended))]
