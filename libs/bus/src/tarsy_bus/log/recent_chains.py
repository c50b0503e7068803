"""The acceptance rule for a reader that remembers only the sessions that it met lately, and asks about others."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping

from tarsy_bus.acceptance import ChainLink, LastAccepted, accepts

MOST_SESSIONS = 5_000
"""Sessions remembered of one partition: some 350 bytes each."""


class RecentChains:
    """The last accepted event of each session that came lately. Sessions that `select_missing` leaves out were met or
    learned.
    """

    def __init__(self, most: int = MOST_SESSIONS) -> None:
        self._most = most
        self._known: OrderedDict[str, LastAccepted | None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._known)

    def select_missing(self, session_ids: Iterable[str]) -> set[str]:
        """Those of them that have to be learned before a record of theirs is judged."""
        return {session_id for session_id in session_ids if session_id not in self._known}

    def learn(self, session_ids: Iterable[str], found: Mapping[str, LastAccepted]) -> None:
        """The last accepted events where reading stands; what is not `found` has none."""
        self._known.update((session_id, found.get(session_id)) for session_id in session_ids)

    def accept(self, mark: ChainLink) -> bool:
        """True when the record counts; it is remembered then. Not for a session that is missing."""
        if not accepts(self._known[mark.session_id], None, mark):
            return False
        self._known[mark.session_id] = LastAccepted(mark.event_id, mark.number)
        self._known.move_to_end(mark.session_id)
        return True

    def last(self, session_id: str) -> LastAccepted | None:
        return self._known.get(session_id)

    def forget_old(self) -> None:
        """Keeps those that came last. Between two batches: what a batch learned must stay until it is judged."""
        while len(self._known) > self._most:
            self._known.popitem(last=False)
