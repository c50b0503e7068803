"""Sessions that this process knows alerts of one deduplication key to have: a hint for answers, never a decision."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

MOST_KEYS = 20_000


@dataclass(frozen=True, slots=True)
class _Known:
    session_id: str
    at: float


class KnownSessions:
    """Bounded. The owner of the session decides; what is remembered here may be out of date."""

    def __init__(self, monotonic: Callable[[], float], most: int = MOST_KEYS) -> None:
        self._monotonic = monotonic
        self._most = most
        self._known: OrderedDict[str, _Known] = OrderedDict()

    def find(self, key: str) -> str | None:
        """The last session of the key that is remembered, however long ago it was."""
        known = self._known.get(key)
        return None if known is None else known.session_id

    def join(self, key: str, session_id: str, window_seconds: float) -> str | None:
        """The session that an alert joins as far as is known; None when it starts `session_id`, which others join."""
        now = self._monotonic()
        known = self._known.pop(key, None)
        joined = None if known is None or now - known.at > window_seconds else known.session_id
        self._known[key] = _Known(joined or session_id, now)
        if len(self._known) > self._most:
            self._known.popitem(last=False)
        return joined
