"""Sessions that alerts of one deduplication key have: a hint for answers, never a decision.

It holds what this process accepted, and what heads show of sessions that others accepted or that are older. The rule
is that of the owner (tarsy_bus.log.join_rule).
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from tarsy_bus.log.head_store import find_first_kept
from tarsy_bus.log.join_rule import CLOSED, is_investigated, joins
from tarsy_contracts.events.heads import AlertMark, SessionHead
from tarsy_contracts.timeline.model import SessionStatus

MOST_KEYS = 20_000


@dataclass(frozen=True, slots=True)
class JoinedSession:
    """`status`: as its head showed it last; None while no head did. A head does not show that a session still waits."""

    session_id: str
    status: SessionStatus | None


@dataclass(slots=True)
class _Shown:
    """The latest session of a key, as its head `number` shows it. `opened`, `alerted`, `alerted_ms` as in AlertMark."""

    session_id: str
    opened: int
    alerted: int
    alerted_ms: int
    number: int
    investigated: bool
    deleted: bool
    status: SessionStatus | None

    def takes(self, at_ms: int, window_seconds: float) -> bool:
        """Whether an alert of its key joins it."""
        if self.deleted:
            return False
        return joins(self.alerted_ms, investigated=self.investigated, at_ms=at_ms, window_seconds=window_seconds)


@dataclass(slots=True)
class _Expected:
    """A session that this process accepted the first alert of, at the offset `opened` of the inbox, and no head shows.

    `began_ms` and `window_seconds` are of that alert.
    """

    session_id: str
    opened: int
    began_ms: int
    window_seconds: float
    alerted_ms: int


class KnownSessions:
    """Bounded: the key that was met longest ago is forgotten first. `now`: the time of day in seconds, as brokers say.

    `follows_heads`: heads are read up to now. Without it the state of sessions is unknown.
    """

    def __init__(self, now: Callable[[], float] = time.time, most: int = MOST_KEYS) -> None:
        self._now = now
        self._most = most
        self._known: OrderedDict[str, _Shown | _Expected] = OrderedDict()
        self.follows_heads = False

    def find(self, key: str) -> str | None:
        """The last session of the key that is remembered, however long ago it was."""
        known = self._known.get(key)
        return None if known is None else known.session_id

    def join(self, key: str, session_id: str, offset: int, window_seconds: float) -> JoinedSession | None:
        """The session that an alert joins as far as is known; None when it starts `session_id`, which others join.

        `offset`: where the alert lies in the inbox.
        """
        at_ms = int(self._now() * 1000)
        known = self._known.get(key)
        if known is None or not self._would_join(known, session_id, at_ms, window_seconds):
            self._remember(key, _Expected(session_id, offset, at_ms, window_seconds, at_ms))
            return None
        known.alerted_ms = at_ms
        self._known.move_to_end(key)
        status = known.status if isinstance(known, _Shown) and self.follows_heads else None
        return JoinedSession(known.session_id, status)

    def would_join(self, key: str, session_id: str, window_seconds: float) -> bool:
        """Whether an alert that comes now would start no session, as far as is known."""
        known = self._known.get(key)
        return known is not None and self._would_join(known, session_id, int(self._now() * 1000), window_seconds)

    def note_head(self, session_id: str, head: SessionHead) -> None:
        """Heads come in any order, and more than once."""
        if head.alerts is None:
            return
        shown, known = _to_shown(session_id, head, head.alerts), self._known.get(head.alerts.key)
        if known is None:
            self._remember(head.alerts.key, shown)
        elif _may_replace(shown, known):
            if known.session_id == session_id and shown.alerted_ms != CLOSED:
                # A head of an open session does not show the alerts that have joined it since.
                shown.alerted_ms = max(shown.alerted_ms, known.alerted_ms)
            self._remember(head.alerts.key, shown)

    def _would_join(self, known: _Shown | _Expected, session_id: str, at_ms: int, window_seconds: float) -> bool:
        if isinstance(known, _Shown):
            if known.session_id == session_id and not known.deleted:
                return True
            if self.follows_heads or known.deleted:
                return known.takes(at_ms, window_seconds)
        return joins(known.alerted_ms, investigated=False, at_ms=at_ms, window_seconds=window_seconds)

    def _remember(self, key: str, known: _Shown | _Expected) -> None:
        self._known[key] = known
        self._known.move_to_end(key)
        if len(self._known) > self._most:
            self._known.popitem(last=False)


def _to_shown(session_id: str, head: SessionHead, alerts: AlertMark) -> _Shown:
    investigated = is_investigated(head)
    return _Shown(
        session_id=session_id,
        opened=alerts.opened,
        alerted=alerts.alerted,
        alerted_ms=alerts.alerted_ms,
        number=head.number,
        investigated=investigated,
        deleted=find_first_kept(head) is None,
        status="in_progress" if investigated else head.ended,
    )


def _may_replace(shown: _Shown, known: _Shown | _Expected) -> bool:
    """Alerts of a key lie in one partition of the inbox, so that their offsets have an order."""
    if isinstance(known, _Shown):
        return (shown.opened, shown.number) > (known.opened, known.number)
    if shown.session_id == known.session_id and not shown.deleted:
        return True
    # Its owner has decided the alert that was accepted here: it went into this session, or into one before it.
    if shown.alerted >= known.opened:
        return True
    # A head that came too late for the answer: the alert that was expected to start a session has joined this one.
    return shown.takes(known.began_ms, known.window_seconds)
