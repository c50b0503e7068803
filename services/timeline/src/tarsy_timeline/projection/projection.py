"""From accepted records of the log to changes of rows: pure.

A batch runs each statement once, for all its rows, in the order of STATEMENTS. This is safe. Changes of one row come in
this order within a batch, or belong to one statement, which keeps the log's order.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator

from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.timeline.changes import timeline_changes
from tarsy_timeline.projection.event_facts import event_facts
from tarsy_timeline.projection.shown_change import to_row_change
from tarsy_timeline.rows.column_texts import storable
from tarsy_timeline.rows.row_changes import RowChange, SessionMove
from tarsy_timeline.rows.row_statements import STATEMENTS
from tarsy_timeline.rows.statement import RowStatement


class Batch:
    """The rows that consecutive accepted records of a partition change."""

    def __init__(self) -> None:
        self.types: Counter[str] = Counter()
        self.last: RecordedEvent | None = None
        self._changes: defaultdict[type[RowChange], list[RowChange]] = defaultdict(list)
        self._sessions: dict[str, RowChange] = {}
        self._first: dict[str, RecordedEvent] = {}

    def add(self, record: RecordedEvent) -> None:
        self.types[record.envelope.type] += 1
        self.last = record
        first = self._first.setdefault(record.session_id, record)
        self._sessions[record.session_id] = build_move(record, first)
        for change in row_changes(record):
            self.add_change(change)

    def add_change(self, change: RowChange) -> None:
        self._changes[type(change)].append(change)

    def in_order(self) -> Iterator[tuple[RowStatement, list[RowChange]]]:
        changes = {**self._changes, SessionMove: list(self._sessions.values())}
        return ((statement, changes[kind]) for kind, statement in STATEMENTS.items() if changes.get(kind))


def row_changes(record: RecordedEvent) -> list[RowChange]:
    """Those of an accepted record, beside its SessionMove. A row is there before another change updates it."""
    if record.event is None:
        return []
    shown = [to_row_change(record, change) for change in timeline_changes(record)]
    return [storable(change) for change in (*shown, *event_facts(record, record.event))]


def build_move(record: RecordedEvent, first: RecordedEvent) -> SessionMove:
    """Also for an event that this code cannot read. `first`: of this batch, in which `record` is the session's last."""
    return SessionMove(
        session_id=record.session_id,
        partition=record.partition,
        last_number=record.number,
        last_event_id=record.envelope.id,
        created_at=first.envelope.time,
        first_offset=first.offset,
        last_offset=record.offset,
    )
