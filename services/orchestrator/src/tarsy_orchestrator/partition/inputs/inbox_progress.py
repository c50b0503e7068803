"""Progress of the inbox: what may be committed, and when a recovery has seen all that was reported. Pure."""

from collections import deque
from dataclasses import dataclass
from datetime import datetime


@dataclass(slots=True)
class _Slot:
    offset: int
    at: datetime
    done: bool = False


class InboxProgress:
    """Inputs come in order of their offsets; their decisions come back in any order."""

    def __init__(self, start: int) -> None:
        """`start`: the offset of the first input that will be taken."""
        self._open: deque[_Slot] = deque()
        self._places: dict[int, _Slot] = {}
        self._next = start

    def take(self, offset: int, at: datetime) -> None:
        """`at`: when the input came into the inbox."""
        slot = _Slot(offset, at)
        self._open.append(slot)
        self._places[offset] = slot
        self._next = offset + 1

    def skip_to(self, offset: int) -> None:
        """No input lies between the last one and this offset."""
        self._next = max(self._next, offset)

    def mark_done(self, offset: int) -> None:
        """Marks an input whose decision came back, or that lies on the held topic or among the dead letters."""
        slot = self._places.pop(offset, None)
        if slot is not None:
            slot.done = True
        while self._open and self._open[0].done:
            self._open.popleft()

    @property
    def committable(self) -> int:
        """The first offset whose decision has not come back."""
        return self._open[0].offset if self._open else self._next

    @property
    def oldest(self) -> datetime | None:
        """When the first input came whose decision has not come back."""
        return self._open[0].at if self._open else None

    def has_passed(self, end: int) -> bool:
        """Whether every input below `end` was taken and is done. The first open one is never done."""
        return self._next >= end and self.committable >= end
