"""Table of the sessions of one partition, made from its log: chains, states, heads. No network."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from tarsy_bus.acceptance import ChainLink, ChainTracker, LastAccepted
from tarsy_bus.log.head_store import HeadStore, JoinableSession, find_first_kept
from tarsy_bus.log.heads import next_alerts, next_head
from tarsy_bus.readers.records import Delivery
from tarsy_contracts.events import OPENERS, QuestionAsked, SessionDeleted, SessionStarted
from tarsy_contracts.events.heads import AlertMark, SessionHead, Span
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_orchestrator.errors import OrchestratorError
from tarsy_orchestrator.partition.decision_batch import SessionTail
from tarsy_orchestrator.partition.guarded_evolve import evolve_guarded
from tarsy_orchestrator.partition.memory.resting_states import RestingStates, SessionKey, size_of_event
from tarsy_session.state import NO_INPUT, NOT_STARTED, Investigating, SessionState

BEGINNINGS = OPENERS | {QuestionAsked.type}
"""A question makes the life of a phase its own."""


@dataclass(frozen=True, slots=True)
class AcceptedRecord:
    """Result of an accepted record: the session's new head where there is one, and its state where it is known.

    `state` is None while the session's earlier events are not in memory. `opened_at`: when this life of it began.
    """

    record: RecordedEvent
    state: SessionState | None
    head: SessionHead | None
    replaced: SessionHead | None
    opened_at: datetime | None


@dataclass(frozen=True, slots=True)
class SessionPlace:
    """The positions of a session's events, up to its last one. `decided`: the highest offset that they decide."""

    spans: tuple[Span, ...]
    last: LastAccepted
    decided: int


class StateNotLoadedError(OrchestratorError, LookupError):
    """The session's earlier events are not in memory. The caller reads its spans first."""


class SessionTable:
    """All heads are here. The state of a session at rest may be evicted unless it is pinned.

    An owner that took over meets sessions that were opened again, and knows nothing of their earlier lives: they are
    open, and not loaded.
    """

    def __init__(self, heads: HeadStore, resting: RestingStates) -> None:
        """Goes on with these heads. The owner closes it."""
        self._heads = heads
        self._chains = ChainTracker(heads)
        self._open: dict[str, SessionState] = {}
        self._unloaded: dict[str, SessionPlace] = {}
        self._opened_at: dict[str, datetime] = {}
        self._alerts: dict[str, AlertMark] = {}
        self._sizes: dict[str, int] = {}
        self._resting = resting

    def accept(self, delivery: Delivery) -> AcceptedRecord | None:
        """Returns None when the record is not accepted. Raises LogMismatchError."""
        mark = delivery.mark()
        if not self._chains.accept(mark):
            return None
        record = delivery.to_recorded_event()
        session_id = mark.session_id
        before = self._heads.get(session_id)
        state = self._evolve_known(session_id, before, record)
        decided = self._offset_decided_before(session_id, before) if state is None else state.last_decided_offset
        decided = max(decided, record.envelope.decided or NO_INPUT)
        alerts = next_alerts(self._alerts_of(session_id, before), record)
        head = next_head(before, mark, decided, alerts)
        if before is not None and head is not None and head.number == before.number:
            head = None
        if head is not None and head.phase == "open":
            self._heads[session_id] = head
        if mark.type in BEGINNINGS:
            self._opened_at[session_id] = record.appended_at
        deleted = mark.type == SessionDeleted.type
        # Most events leave the alerts as they were, and a write for each cost more than their evolution.
        if alerts is not None and (deleted or alerts is not self._alerts.get(session_id)):
            self._alerts[session_id] = alerts
            self._heads.note_alerts(session_id, mark.number, alerts, deleted=deleted)
        opened_at = self._opened_at.get(session_id)
        now = head or before
        if state is None:
            self._keep_unloaded(mark, now, decided)
        else:
            self._keep_state(session_id, now, state, self._size_of(session_id) + size_of_event(delivery.value))
        return AcceptedRecord(record, state, head, replaced=before, opened_at=opened_at)

    def _evolve_known(self, session_id: str, before: SessionHead | None, record: RecordedEvent) -> SessionState | None:
        """None when the event builds on what is not in memory."""
        known = self._state_in_memory(session_id)
        if known is None and before is not None and record.envelope.type != SessionStarted.type:
            return None
        return evolve_guarded(known or NOT_STARTED, record)

    def _alerts_of(self, session_id: str, head: SessionHead | None) -> AlertMark | None:
        """An open session has had alerts since its head was written."""
        known = self._alerts.get(session_id)
        return known if known is not None or head is None else head.alerts

    def _offset_decided_before(self, session_id: str, before: SessionHead | None) -> int:
        position = self._unloaded.get(session_id)
        if position is not None:
            return position.decided
        return NO_INPUT if before is None else before.decided

    def _keep_state(self, session_id: str, head: SessionHead | None, state: SessionState, size: int) -> None:
        if head is None or head.phase == "open":
            self._open[session_id] = state
            self._sizes[session_id] = size
            self._resting.remove(self._key_of(session_id))
            return
        self._forget_open(session_id, head)
        self._resting.put(self._key_of(session_id), state, size)

    def _keep_unloaded(self, mark: ChainLink, head: SessionHead | None, decided: int) -> None:
        session_id = mark.session_id
        if head is None or head.phase == "rest":
            if head is not None:
                self._forget_open(session_id, head)
            return
        spans = (*head.spans, Span(first=head.offset, last=mark.offset))
        self._unloaded[session_id] = SessionPlace(spans, LastAccepted(mark.event_id, mark.number), decided)

    def _forget_open(self, session_id: str, head: SessionHead) -> None:
        self._open.pop(session_id, None)
        self._unloaded.pop(session_id, None)
        self._opened_at.pop(session_id, None)
        self._alerts.pop(session_id, None)
        self._sizes.pop(session_id, None)
        self._chains.rest(session_id, head)

    def find_load_position(self, session_id: str) -> SessionPlace | None:
        """Returns where the session is to be loaded from, as far as it was read; None when there is no need to."""
        unloaded = self._unloaded.get(session_id)
        head = self._heads.get(session_id)
        if unloaded is not None or head is None or head.phase == "open":
            return unloaded
        return SessionPlace(head.spans, LastAccepted(head.event_id, head.number), head.decided)

    def load(self, session_id: str, state: SessionState, size: int) -> None:
        """Stores the state of a session that was read from its place."""
        if self._unloaded.pop(session_id, None) is None:
            self._resting.put(self._key_of(session_id), state, size)
            return
        self._open[session_id] = state
        self._sizes[session_id] = size

    def list_unloaded(self) -> list[str]:
        """Open sessions whose earlier lives are not in memory."""
        return list(self._unloaded)

    def pin(self, session_id: str) -> None:
        """Keeps its state from eviction until it was unpinned as often as pinned."""
        self._resting.pin(self._key_of(session_id))

    def unpin(self, session_ids: Iterable[str]) -> None:
        for session_id in session_ids:
            self._resting.unpin(self._key_of(session_id))

    def tail(self, session_id: str) -> SessionTail:
        """Raises StateNotLoadedError."""
        last = self._chains.last(session_id)
        return SessionTail(self.state(session_id), last.event_id if last else None, last.number if last else 0)

    def state(self, session_id: str) -> SessionState:
        """Raises StateNotLoadedError."""
        state = self._state_in_memory(session_id)
        if state is not None:
            return state
        if self.find_load_position(session_id) is not None:
            raise StateNotLoadedError(session_id)
        return NOT_STARTED

    def joinable(self, key: str) -> JoinableSession | None:
        """The latest session of a deduplication key."""
        return self._heads.joinable(key)

    def exists(self, session_id: str) -> bool:
        """Whether there is such a session, and it was not deleted."""
        if session_id in self._open or session_id in self._unloaded:
            return True
        head = self._heads.get(session_id)
        return head is not None and find_first_kept(head) is not None

    def is_investigated(self, session_id: str) -> bool:
        """Whether its investigation has not ended. A session that answers a question has ended."""
        state = self._open.get(session_id)
        return isinstance(state, Investigating) and state.ended is None

    def head(self, session_id: str) -> SessionHead | None:
        return self._heads.get(session_id)

    @property
    def decided(self) -> int:
        """The highest inbox offset that is decided, as the log says."""
        return max(
            self._heads.decided,
            *(state.last_decided_offset for state in self._open.values()),
            *(position.decided for position in self._unloaded.values()),
            NO_INPUT,
        )

    def list_unopened(self) -> list[str]:
        """Sessions that heads list as open, and whose opener was not met."""
        met = self._open.keys() | self._unloaded.keys()
        return [session_id for session_id in self._heads.open if session_id not in met]

    def open_sessions(self) -> Mapping[str, SessionState]:
        """Those that are loaded."""
        return self._open

    def close(self) -> None:
        self._resting.drop(self)
        self._heads.close()

    def _state_in_memory(self, session_id: str) -> SessionState | None:
        return self._open.get(session_id) or self._resting.get(self._key_of(session_id))

    def _size_of(self, session_id: str) -> int:
        return self._sizes.get(session_id) or self._resting.size_of(self._key_of(session_id))

    def _key_of(self, session_id: str) -> SessionKey:
        return self, session_id
