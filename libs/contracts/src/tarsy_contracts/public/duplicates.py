"""Dropping what was published twice: the rule for every consumer of `tarsy.events`."""

from collections import OrderedDict

REMEMBERED_SESSIONS = 100_000


class LastSequences:
    """The last sequence of each session. A record that is not above it was seen already: a repeat, or a late one.

    It remembers the sessions that came last. A consumer with a state of its own keeps the sequence there instead.
    """

    def __init__(self, most: int = REMEMBERED_SESSIONS) -> None:
        self._most = most
        self._last: OrderedDict[str, int] = OrderedDict()

    def is_new(self, session_id: str, sequence: int) -> bool:
        return sequence > self._last.get(session_id, 0)

    def remember(self, session_id: str, sequence: int) -> None:
        """For consumers that may fail with an event: they remember it when they have worked it off."""
        self._last[session_id] = sequence
        self._last.move_to_end(session_id)
        if len(self._last) > self._most:
            self._last.popitem(last=False)

    def take(self, session_id: str, sequence: int) -> bool:
        """Whether it is new, which it is once."""
        if not self.is_new(session_id, sequence):
            return False
        self.remember(session_id, sequence)
        return True
