"""The sessions of one partition, as its log tells them: chains, states, heads. No I/O."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from tarsy_bus.acceptance import Chains
from tarsy_bus.heads import next_head
from tarsy_bus.records import Delivery
from tarsy_contracts.events import OPENERS
from tarsy_contracts.heads import SessionHead
from tarsy_contracts.recorded import Recorded
from tarsy_orchestrator.deciding import Tail
from tarsy_orchestrator.guarded import evolve_guarded
from tarsy_orchestrator.state import ABSENT, NO_INPUT, Beyond, State

KEPT_AT_REST = 200
"""Sessions at rest whose state is kept, because somebody asked for it lately."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """What an accepted record brought: the session's new head where there is one, and its state where it is known.

    It is not (None) of a session at rest that was not loaded: it stays so. `opened_at`: when this life of it began.
    """

    record: Recorded
    state: State | None
    head: SessionHead | None
    replaced: SessionHead | None
    opened_at: datetime | None


class NotLoaded(LookupError):
    """The session is at rest and its state is not in memory: its spans have to be read first."""


class Sessions:
    def __init__(self, heads: Mapping[str, SessionHead]) -> None:
        self._heads = dict(heads)
        self._chains = Chains(heads)
        self._open: dict[str, State] = {}
        self._opened_at: dict[str, datetime] = {}
        self._at_rest: OrderedDict[str, State] = OrderedDict()

    def take(self, delivery: Delivery) -> Accepted | None:
        """None when the record is not accepted. Raises LogMismatch."""
        mark = delivery.mark()
        if not self._chains.accept(mark):
            return None
        record = delivery.recorded()
        session_id = mark.session_id
        before = self._heads.get(session_id)
        known = self._open.get(session_id, self._at_rest.get(session_id))
        unloaded = known is None and before is not None and before.phase == "rest"
        state = Beyond(before.decided) if unloaded and before else evolve_guarded(known or ABSENT, record)
        head = next_head(before, mark, max(state.decided, record.envelope.decided or NO_INPUT))
        if before is not None and head is not None and head.number == before.number:
            head = None
        if head is not None:
            self._heads[session_id] = head
        if mark.type in OPENERS:
            self._opened_at[session_id] = record.appended_at
        opened_at = self._opened_at.get(session_id)
        self._keep(session_id, state, loaded=not unloaded)
        unknown = unloaded and session_id not in self._open
        return Accepted(record, None if unknown else state, head, replaced=before, opened_at=opened_at)

    def _keep(self, session_id: str, state: State, *, loaded: bool) -> None:
        head = self._heads.get(session_id)
        if head is None or head.phase == "open":
            self._open[session_id] = state
            return
        self._open.pop(session_id, None)
        self._opened_at.pop(session_id, None)
        self._chains.rest(session_id, head)
        if loaded:
            self.load(session_id, state)

    def load(self, session_id: str, state: State) -> None:
        """The state of a session at rest, read again from its spans."""
        self._at_rest[session_id] = state
        self._at_rest.move_to_end(session_id)

    def trim(self) -> None:
        """Forgets the states at rest that nobody asked for lately. Not while a decision needs one of them."""
        while len(self._at_rest) > KEPT_AT_REST:
            self._at_rest.popitem(last=False)

    def tail(self, session_id: str) -> Tail:
        """Raises NotLoaded."""
        last = self._chains.last(session_id)
        return Tail(self.state(session_id), last.event_id if last else None, last.number if last else 0)

    def state(self, session_id: str) -> State:
        """Raises NotLoaded."""
        state = self._open.get(session_id, self._at_rest.get(session_id))
        if state is not None:
            return state
        if session_id in self._heads:
            raise NotLoaded(session_id)
        return ABSENT

    def head(self, session_id: str) -> SessionHead | None:
        return self._heads.get(session_id)

    @property
    def decided(self) -> int:
        """The highest inbox offset that the log tells to be decided."""
        known = [*(head.decided for head in self._heads.values()), *(state.decided for state in self._open.values())]
        return max(known, default=NO_INPUT)

    def not_opened(self) -> list[str]:
        """Sessions that heads list as open, and whose opener was not met."""
        return [id for id, head in self._heads.items() if head.phase == "open" and id not in self._open]

    def open_sessions(self) -> Mapping[str, State]:
        return self._open
