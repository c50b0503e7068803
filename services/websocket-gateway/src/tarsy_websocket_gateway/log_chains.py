"""The acceptance rule for a gateway, which holds the chains of few sessions and asks the timeline about the others.

The timeline answers with a session's last accepted event at *its* position of the log, which may lie before or behind
the gateway's. Until the answer is there, and the gateway has read as far, the records of that session wait. Pure.
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

    One exception, which clients do not see, as they drop by number what they have: an event that was accepted long ago
    and was written again may be accepted again, when the timeline is ahead.
    """

    def __init__(self, position: int, known: Mapping[str, LastAccepted], *, most: int = MOST_SESSIONS) -> None:
        """`known`: last accepted events of some sessions below `position`, where reading begins."""
        self.position = position
        self._most = most
        self._projected = position
        self._known = OrderedDict((session_id, _Last(one, position - 1)) for session_id, one in known.items())
        self._waiting: dict[str, _Waiting[R]] = {}
        self._waiting_bytes = 0

    def __len__(self) -> int:
        return len(self._known)

    def take(self, record: R) -> list[R]:
        """The next record. Returns what is accepted now."""
        mark = record.mark()
        self.position = mark.offset + 1
        known, waiting = self._known.get(mark.session_id), self._waiting.get(mark.session_id)
        if known is None or waiting is not None:
            self._waiting.setdefault(mark.session_id, _Waiting()).records.append(record)
            self._waiting_bytes += _size(record)
            return []
        if not accepts(known.known, None, mark):
            return []
        self._remember(mark)
        return [record]

    def passed(self, position: int) -> list[R]:
        """All below `position` was read. Returns what is accepted now, of those that waited for that."""
        self.position = max(self.position, position)
        ready = [one for one, waiting in self._waiting.items() if waiting.answer and waiting.answer.at <= self.position]
        found = [record for session_id in ready for record in self._resolved(session_id)]
        self._forget_old()
        return sorted(found, key=lambda record: record.mark().offset)

    def asked_about(self) -> set[str]:
        """The sessions that the timeline has to be asked about."""
        return {session_id for session_id, waiting in self._waiting.items() if waiting.answer is None}

    def answered(self, session_ids: Iterable[str], at: int, found: Mapping[str, LastAccepted]) -> list[R]:
        """Takes the timeline's answer about these sessions at its position. Returns what is accepted now."""
        self._projected = max(self._projected, at)
        for session_id in session_ids:
            waiting = self._waiting.get(session_id)
            if waiting is not None and waiting.answer is None:
                waiting.answer = LastEventsAnswer(at, found.get(session_id))
        return self.passed(self.position)

    @property
    def full(self) -> bool:
        """Too much waits: for the timeline, or for a position of it that lies far ahead."""
        return self._waiting_bytes > MOST_WAITING_BYTES

    def last(self, session_id: str) -> LastAccepted | None:
        last = self._known.get(session_id)
        return last.known if last is not None else None

    def _resolved(self, session_id: str) -> list[R]:
        waiting = self._waiting.pop(session_id)
        self._waiting_bytes -= sum(_size(record) for record in waiting.records)
        if waiting.answer is None:
            return []
        if waiting.answer.known is not None:
            self._known[session_id] = _Last(waiting.answer.known, waiting.answer.at - 1)
        accepted = judged(waiting.records, waiting.answer)
        for record in accepted[-1:]:
            if record.mark().offset >= waiting.answer.at:
                self._remember(record.mark())
        return accepted

    def _remember(self, mark: ChainLink) -> None:
        self._known[mark.session_id] = _Last(LastAccepted(mark.event_id, mark.number), mark.offset)
        self._known.move_to_end(mark.session_id)

    def _forget_old(self) -> None:
        """Only what the timeline shows already: who asks it later must not get an older answer."""
        while len(self._known) > self._most:
            oldest = next(iter(self._known))
            if self._known[oldest].offset >= self._projected:
                return
            del self._known[oldest]


def judged[R: Judged](records: Iterable[R], answer: LastEventsAnswer) -> list[R]:
    """The records that count, of all those of a session from some offset on.

    Below the answer's position they are those on the chain that ends with its event; from there on the rule goes on.
    """
    marked = [(record, record.mark()) for record in records]
    found = _on_chain([pair for pair in marked if pair[1].offset < answer.at], answer.known)
    known = answer.known
    for record, mark in marked:
        if mark.offset >= answer.at and accepts(known, None, mark):
            known = LastAccepted(mark.event_id, mark.number)
            found.append(record)
    return found


def _on_chain[R: Judged](marked: Sequence[tuple[R, ChainLink]], known: LastAccepted | None) -> list[R]:
    """The longest part of the chain to the known event that lies in these records, in order."""
    previous = {mark.event_id: mark.previous for _, mark in marked}
    event_id, chain = None if known is None else known.event_id, list[str]()
    while event_id is not None and event_id in previous:
        chain.insert(0, event_id)
        event_id = previous.pop(event_id)
    while len(found := _in_order(marked, chain)) < len(chain):
        del chain[0]
    return found


def _in_order[R: Judged](marked: Iterable[tuple[R, ChainLink]], chain: Sequence[str]) -> list[R]:
    found: list[R] = []
    for record, mark in marked:
        if len(found) < len(chain) and mark.event_id == chain[len(found)]:
            found.append(record)
    return found


def _size(record: Judged) -> int:
    return len(record.value or b"") + RECORD_BYTES
