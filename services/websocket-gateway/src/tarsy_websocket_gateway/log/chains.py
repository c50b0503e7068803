"""The acceptance rule for a gateway, which follows some sessions of a partition, or all, and asks the timeline.

The timeline answers with a session's last accepted event at *its* position of the log, which may lie before or behind
the gateway's. The session's records wait until the answer has come and the gateway has read as far. An answer
from before the gateway began to follow the session says too little: it is asked again. Pure.
"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tarsy_bus.acceptance import ChainLink, LastAccepted, accepts

MOST_SESSIONS = 2_000
"""Limit for one partition, beside those that the timeline has not projected yet."""
MOST_WAITING_BYTES = 4 * 1024 * 1024
"""Limit for one partition."""
RECORD_BYTES = 2_000
"""Estimate for a waiting record, beside its body."""


class Judged(Protocol):
    """A record of the log."""

    @property
    def value(self) -> bytes | None: ...
    def mark(self) -> ChainLink: ...


@dataclass(frozen=True, slots=True)
class LastEventsAnswer:
    """The session's last accepted event below the offset `at`; None of a session that had none."""

    at: int
    known: LastAccepted | None


@dataclass(slots=True)
class _Waiting[R: Judged]:
    records: list[R] = field(default_factory=list)
    answer: LastEventsAnswer | None = None


@dataclass(frozen=True, slots=True)
class _Last:
    known: LastAccepted
    offset: int


class LogChains[R: Judged]:
    """Chains of one partition. Accepts what a reader would accept that remembers every session.

    There is one exception. When the timeline is ahead, an old event that was written again may be accepted again.
    Clients do not see it, as they drop repeats by number.
    """

    def __init__(self, position: int, *, most: int = MOST_SESSIONS) -> None:
        """Reading begins at `position`, and follows nothing at first."""
        self.position = position
        self._most = most
        self._projected = position
        self._followed: dict[str, int] = {}
        self._all_since: int | None = None
        self._known: OrderedDict[str, _Last] = OrderedDict()
        self._absent: set[str] = set()
        self._waiting: dict[str, _Waiting[R]] = {}
        self._waiting_bytes = 0

    def __len__(self) -> int:
        return len(self._known)

    def follow(self, session_id: str) -> None:
        """Judges what comes of this session from here on."""
        since = self.position if self._all_since is None else self._all_since
        self._followed.setdefault(session_id, since)

    def leave(self, session_id: str) -> None:
        self._followed.pop(session_id, None)
        self._absent.discard(session_id)
        if self._all_since is None:
            self._drop_session(session_id)

    def follow_all(self, known: Mapping[str, LastAccepted] | None = None) -> None:
        """The same of every session. `known`: last accepted events of some at this position."""
        self._all_since = self.position
        for session_id, last in (known or {}).items():
            self._known.setdefault(session_id, _Last(last, self.position - 1))

    def leave_all(self) -> None:
        """Those that are followed by name stay."""
        self._all_since = None
        for session_id in {*self._known, *self._waiting} - self._followed.keys():
            self._drop_session(session_id)

    @property
    def idle(self) -> bool:
        """Nothing is followed."""
        return self._all_since is None and not self._followed

    def follows(self, session_id: str) -> bool:
        return self._all_since is not None or session_id in self._followed

    def since(self, session_id: str) -> int:
        """An answer about this session has to be of this position, or of a later one."""
        return self._followed.get(session_id, self._all_since or 0)

    def take(self, record: R) -> list[R]:
        """The next record. Returns what is accepted now."""
        mark = record.mark()
        self.position = mark.offset + 1
        if not self.follows(mark.session_id):
            return []
        known, waiting = self._known.get(mark.session_id), self._waiting.get(mark.session_id)
        if waiting is not None or (known is None and mark.session_id not in self._absent):
            self._waiting.setdefault(mark.session_id, _Waiting()).records.append(record)
            self._waiting_bytes += _bytes_of(record)
            return []
        if not accepts(known.known if known is not None else None, None, mark):
            return []
        self._note_last(mark)
        return [record]

    def pass_position(self, position: int) -> list[R]:
        """All below `position` was read. Returns what is accepted now, of those that waited for that."""
        self.position = max(self.position, position)
        ready = [one for one, waiting in self._waiting.items() if waiting.answer and waiting.answer.at <= self.position]
        found = [record for session_id in ready for record in self._accept_waiting(session_id)]
        self._forget_old()
        return sorted(found, key=lambda record: record.mark().offset)

    def list_unknown_sessions(self) -> set[str]:
        """Sessions that the timeline has to be asked about. Those that are followed by name are asked about anyway."""
        waiting = {session_id for session_id, waiting in self._waiting.items() if waiting.answer is None}
        return waiting - self._followed.keys()

    def take_answer(self, session_ids: Iterable[str], at: int, found: Mapping[str, LastAccepted]) -> list[R]:
        """Takes the timeline's answer about these sessions at its position. Returns what is accepted now."""
        self._projected = max(self._projected, at)
        for session_id in session_ids:
            named = session_id in self._followed and session_id not in self._known and session_id not in self._absent
            waiting = self._waiting.setdefault(session_id, _Waiting()) if named else self._waiting.get(session_id)
            if waiting is not None and waiting.answer is None and at >= self.since(session_id):
                waiting.answer = LastEventsAnswer(at, found.get(session_id))
        return self.pass_position(self.position)

    @property
    def full(self) -> bool:
        """Too much waits: for the timeline, or for a position of it that lies far ahead."""
        return self._waiting_bytes > MOST_WAITING_BYTES

    @property
    def behind(self) -> bool:
        """Too much waits, and the timeline has answered about all of it: it is too far ahead."""
        return self.full and all(waiting.answer is not None for waiting in self._waiting.values())

    def last(self, session_id: str) -> LastAccepted | None:
        last = self._known.get(session_id)
        return last.known if last is not None else None

    def _accept_waiting(self, session_id: str) -> list[R]:
        waiting = self._waiting.pop(session_id)
        self._waiting_bytes -= sum(_bytes_of(record) for record in waiting.records)
        if waiting.answer is None:
            return []
        if waiting.answer.known is not None:
            self._known[session_id] = _Last(waiting.answer.known, waiting.answer.at - 1)
        elif session_id in self._followed:
            self._absent.add(session_id)
        accepted = select_accepted(waiting.records, waiting.answer)
        for record in accepted[-1:]:
            if record.mark().offset >= waiting.answer.at:
                self._note_last(record.mark())
        return accepted

    def _drop_session(self, session_id: str) -> None:
        self._known.pop(session_id, None)
        waiting = self._waiting.pop(session_id, None)
        if waiting is not None:
            self._waiting_bytes -= sum(_bytes_of(record) for record in waiting.records)

    def _note_last(self, mark: ChainLink) -> None:
        self._absent.discard(mark.session_id)
        self._known[mark.session_id] = _Last(LastAccepted(mark.event_id, mark.number), mark.offset)
        self._known.move_to_end(mark.session_id)

    def _forget_old(self) -> None:
        """Only what the timeline shows already: who asks it later must not get an older answer."""
        while len(self._known) > self._most + len(self._followed):
            oldest = next(iter(self._known))
            if oldest in self._followed:
                self._known.move_to_end(oldest)
            elif self._known[oldest].offset >= self._projected:
                return
            else:
                del self._known[oldest]


def select_accepted[R: Judged](records: Iterable[R], answer: LastEventsAnswer) -> list[R]:
    """The records that count, of all those of a session from some offset on.

    Below the answer's position, the records on the chain that ends with its event count. From there on the usual rule
    applies.
    """
    marked = [(record, record.mark()) for record in records]
    found = _accept_on_chain([pair for pair in marked if pair[1].offset < answer.at], answer.known)
    known = answer.known
    for record, mark in marked:
        if mark.offset >= answer.at and accepts(known, None, mark):
            known = LastAccepted(mark.event_id, mark.number)
            found.append(record)
    return found


def _accept_on_chain[R: Judged](marked: Sequence[tuple[R, ChainLink]], known: LastAccepted | None) -> list[R]:
    """The longest part of the chain to the known event that lies in these records, in order."""
    previous = {mark.event_id: mark.previous for _, mark in marked}
    event_id, chain = None if known is None else known.event_id, list[str]()
    while event_id is not None and event_id in previous:
        chain.insert(0, event_id)
        event_id = previous.pop(event_id)
    while len(found := _accept_in_order(marked, chain)) < len(chain):
        del chain[0]
    return found


def _accept_in_order[R: Judged](marked: Iterable[tuple[R, ChainLink]], chain: Sequence[str]) -> list[R]:
    found: list[R] = []
    for record, mark in marked:
        if len(found) < len(chain) and mark.event_id == chain[len(found)]:
            found.append(record)
    return found


def _bytes_of(record: Judged) -> int:
    return len(record.value or b"") + RECORD_BYTES
