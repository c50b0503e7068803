"""The acceptance rule: which records of the session log count (docs/concepts.md).

Every reader judges by the headers alone and keeps, per session, the last event that it accepted. A reader that does
not begin at the beginning is seeded by heads. All readers come to the same verdicts, wherever they start.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from tarsy_bus.errors import BusError
from tarsy_contracts.events.heads import SessionHead

STARTED = "session.started"


class LogMismatchError(BusError):
    """The log does not fit what is known of it: it was emptied, or it belongs to another cluster.

    The operator finds out which.
    """


@dataclass(frozen=True, slots=True)
class ChainLink:
    """The fields of a record that the acceptance rule judges by."""

    session_id: str
    type: str
    event_id: str
    previous: str | None
    number: int
    offset: int


@dataclass(frozen=True, slots=True)
class LastAccepted:
    """The last accepted event of a session."""

    event_id: str
    number: int


def accepts(known: LastAccepted | None, head: SessionHead | None, mark: ChainLink) -> bool:
    """`known` is what this reader accepted last, `head` what it was seeded with for the session.

    Records before a head at rest need no rule of their own: none of them can name the head's event.

    Raises LogMismatchError when the opener that a head promises is not where the head says.
    """
    if known is not None:
        return follows(known, mark)
    if head is None:
        return starts(mark)
    if head.phase == "open":
        return is_opener(head, mark)
    return follows(LastAccepted(head.event_id, head.number), mark)


def follows(known: LastAccepted, mark: ChainLink) -> bool:
    """It names the last event, and counts on: of two heads of a session, the higher number is the newer one."""
    return mark.previous == known.event_id and mark.number == known.number + 1


def starts(mark: ChainLink) -> bool:
    """Only its start opens a session that no head lists, whatever else somebody wrote about it."""
    return mark.type == STARTED and mark.previous is None and mark.number == 1


def is_opener(head: SessionHead, mark: ChainLink) -> bool:
    if mark.offset < head.offset:
        return False
    if mark.offset > head.offset or mark.event_id != head.event_id:
        raise LogMismatchError(
            f"session {mark.session_id} should open with event {head.event_id} at offset {head.offset}, "
            f"but offset {mark.offset} holds {mark.event_id}: the log is not the one that the heads were written for"
        )
    return True


def find_last_before_kept_life(mark: ChainLink) -> LastAccepted | None:
    """The event before the first one that is kept of a session, for a reader of its spans.

    The session was deleted then, and what it held before may be gone. None where nothing came before.
    """
    if mark.type != STARTED or mark.previous is None:
        return None
    return LastAccepted(mark.previous, mark.number - 1)


class Heads(Protocol):
    """The newest head of each session: a dict, or a HeadStore."""

    def get(self, session_id: str, /) -> SessionHead | None: ...
    def __setitem__(self, session_id: str, head: SessionHead, /) -> None: ...


class ChainTracker:
    """One reader's memory of one partition: the last accepted event of each session that it met."""

    def __init__(self, heads: Heads | None = None, known: Mapping[str, LastAccepted] | None = None) -> None:
        """Seeded by heads, which it goes on with, or by the last accepted event of *every* session where it begins."""
        self._heads: Heads = {} if heads is None else heads
        self._known = dict(known or {})

    def accept(self, mark: ChainLink) -> bool:
        """True when the record counts; it is remembered then. Raises LogMismatchError."""
        known = self._known.get(mark.session_id)
        head = None if known is not None else self._heads.get(mark.session_id)
        if not accepts(known, head, mark):
            return False
        self._known[mark.session_id] = LastAccepted(mark.event_id, mark.number)
        return True

    def last(self, session_id: str) -> LastAccepted | None:
        """The last accepted event, or the one that a head at rest names."""
        known = self._known.get(session_id)
        if known is not None:
            return known
        head = self._heads.get(session_id)
        if head is not None and head.phase == "rest":
            return LastAccepted(head.event_id, head.number)
        return None

    def rest(self, session_id: str, head: SessionHead) -> None:
        """The session came to rest, as `head` says, which also replaces what was known of it."""
        self._heads[session_id] = head
        self._known.pop(session_id, None)
