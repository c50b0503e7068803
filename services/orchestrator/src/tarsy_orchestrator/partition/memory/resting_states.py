"""Bounded cache of the states of sessions at rest, for all partitions of one process. No I/O.

A session that is not in it is read again from its spans when somebody asks for it.
"""

from collections import Counter, OrderedDict
from dataclasses import dataclass

from tarsy_session.state import SessionState

KEPT_BYTES = 64 * 1024 * 1024
EVENT_BYTES = 2_000
"""Overhead of an event in a state, besides its own bytes (measured: 1,200 to 2,000)."""

type SessionKey = tuple[object, str]
"""A session, and the tenure of a partition that keeps it."""


@dataclass(slots=True)
class _Kept:
    state: SessionState
    size: int


class RestingStates:
    """Evicts the least recently used, but neither a pinned state, as a decision needs it, nor the newest.

    So a session that is larger than the bound can still be read, and decided for.
    """

    def __init__(self, most_bytes: int = KEPT_BYTES) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[SessionKey, _Kept] = OrderedDict()
        self._pins: Counter[SessionKey] = Counter()
        self.size = 0

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: SessionKey) -> SessionState | None:
        kept = self._kept.get(key)
        if kept is None:
            return None
        self._kept.move_to_end(key)
        return kept.state

    def size_of(self, key: SessionKey) -> int:
        kept = self._kept.get(key)
        return 0 if kept is None else kept.size

    def put(self, key: SessionKey, state: SessionState, size: int) -> None:
        """`size`: of the session's events, as `size_of_event` counts them."""
        self.remove(key)
        self._kept[key] = _Kept(state, size)
        self.size += size
        self._evict_oldest()

    def remove(self, key: SessionKey) -> None:
        kept = self._kept.pop(key, None)
        if kept is not None:
            self.size -= kept.size

    def pin(self, key: SessionKey) -> None:
        """Keeps the state, once it is there, until it was unpinned as often as pinned."""
        self._pins[key] += 1

    def unpin(self, key: SessionKey) -> None:
        self._pins[key] -= 1
        if self._pins[key] <= 0:
            del self._pins[key]
        self._evict_oldest()

    def drop(self, tenure: object) -> None:
        """Forgets all states of a partition that another process owns now."""
        for key in [key for key in self._kept if key[0] is tenure]:
            self.remove(key)
        for key in [key for key in self._pins if key[0] is tenure]:
            del self._pins[key]

    def _evict_oldest(self) -> None:
        if self.size <= self._most_bytes:
            return
        for key in list(self._kept)[:-1]:
            if key not in self._pins:
                self.remove(key)
            if self.size <= self._most_bytes:
                return


def size_of_event(value: bytes | None) -> int:
    return len(value or b"") + EVENT_BYTES
