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
        if sequence <= self._last.get(session_id, 0):
            return False
        self._last[session_id] = sequence
        self._last.move_to_end(session_id)
        if len(self._last) > self._most:
            self._last.popitem(last=False)
        return True
