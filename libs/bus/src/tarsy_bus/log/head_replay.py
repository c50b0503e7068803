"""Replay of heads: those that the accepted log of one partition brings, without states and without a service."""

from tarsy_bus.acceptance import ChainLink, LastAccepted, accepts, find_last_before_kept_life
from tarsy_bus.log.head_store import HeadStore
from tarsy_bus.log.heads import next_alerts, next_head
from tarsy_bus.readers.partition_reader import Record
from tarsy_bus.readers.records import Delivery, parse_record
from tarsy_contracts.events import AlertRepeated, SessionCancelled, SessionStarted
from tarsy_contracts.events.heads import AlertMark, SessionHead

UNDECIDED = -1
ABOUT_ALERTS = frozenset({SessionStarted.type, AlertRepeated.type, SessionCancelled.type})
"""Only these are decoded."""


class HeadReplay:
    """`first`: the offset at which the partition begins by now. `heads` are closed by the caller."""

    def __init__(self, first: int) -> None:
        self.heads = HeadStore()
        self._is_trimmed = first > 0
        self._known: dict[str, LastAccepted] = {}
        self._decided: dict[str, int] = {}
        self._alerts: dict[str, AlertMark | None] = {}

    def take(self, record: Record) -> None:
        """The next record. One that no reader accepts changes nothing."""
        delivery = parse_record(record)
        if delivery is not None and self._accepts_link(delivery.mark()):
            self._note_event(delivery)

    def _accepts_link(self, mark: ChainLink) -> bool:
        known, head = self._known.get(mark.session_id), self.heads.get(mark.session_id)
        if self._is_trimmed and known is None and head is None:
            known = find_last_before_kept_life(mark)
        return accepts(known, head if known is None else None, mark)

    def _note_event(self, delivery: Delivery) -> None:
        mark, before = delivery.mark(), self.heads.get(delivery.mark().session_id)
        session_id = mark.session_id
        decided = max(
            self._decided.get(session_id, UNDECIDED if before is None else before.decided),
            UNDECIDED if delivery.envelope.decided is None else delivery.envelope.decided,
        )
        alerts = self._alerts.get(session_id, None if before is None else before.alerts)
        if mark.type in ABOUT_ALERTS:
            alerts = next_alerts(alerts, delivery.to_recorded_event())
        head = next_head(before, mark, decided, alerts)
        if head is not None:
            self.heads[session_id] = head
        if head is not None and head.phase == "rest":
            self._forget_session(session_id)
        else:
            self._known[session_id] = LastAccepted(mark.event_id, mark.number)
            self._decided[session_id], self._alerts[session_id] = decided, alerts

    def _forget_session(self, session_id: str) -> None:
        """Its head tells all from now on."""
        self._known.pop(session_id, None)
        self._decided.pop(session_id, None)
        self._alerts.pop(session_id, None)


def is_same(one: SessionHead, other: SessionHead | None) -> bool:
    """Whether both are of one event. Heads of older writers tell less of it."""
    facts = (one.phase, one.number, one.offset, one.event_id)
    return other is not None and facts == (other.phase, other.number, other.offset, other.event_id)
