"""A session and its timeline as they were after one of its events. Pure."""

from collections.abc import Sequence

from tarsy_contracts.api.timeline import PastSession
from tarsy_contracts.envelope import wire_time
from tarsy_contracts.recorded import RecordedEvent
from tarsy_timeline.projection.projection import ORDER, statements
from tarsy_timeline.queries import responses
from tarsy_timeline.record.past_tables import NEW_SESSION, STATEMENTS, Fields, PastTables
from tarsy_timeline.rows.model_costs import NO_PRICES, PricesByModel, cost_of
from tarsy_timeline.rows.session_rows import SessionRows


def past_session(
    records: Sequence[RecordedEvent], number: int, prices: PricesByModel = NO_PRICES
) -> PastSession | None:
    """After the event `number`; None where it is none of these, which are those of the session from its first on."""
    until = [record for record in records if record.number <= number]
    if not until or until[-1].number != number:
        return None
    rows = past_rows(until, prices)
    return PastSession(
        last_number=number,
        session=responses.session_detail(rows),
        timeline=tuple(map(responses.timeline_event, rows.timeline)),
        time=wire_time(until[-1].envelope.time),
        event_type=until[-1].envelope.type,
        first_number=records[0].number,
        newest_number=records[-1].number,
    )


def past_rows(records: Sequence[RecordedEvent], prices: PricesByModel = NO_PRICES) -> SessionRows:
    """After the last of these events, of which the first is the session's."""
    first = records[0]
    tables = PastTables({**NEW_SESSION, "session_id": first.session_id, "created_at": first.envelope.time})
    for record in records:
        for name, values in sorted(statements(record), key=lambda one: ORDER.index(one[0])):
            STATEMENTS[name](tables, *values)
    stage_of = {id: one["stage_id"] for id, one in tables.executions.items()}
    return SessionRows(
        session={**tables.session, "last_number": records[-1].number, "approvals_waiting": _approvals_waiting(tables)},
        stages=sorted(tables.stages.values(), key=lambda one: one["stage_index"]),
        executions=sorted(tables.executions.values(), key=lambda one: (one["agent_index"], one["execution_id"])),
        timeline=[
            {**one, "stage_id": stage_of.get(one["execution_id"])}
            for one in sorted(tables.timeline.values(), key=lambda one: one["sequence_number"])
        ],
        cost=cost_of(tables.usage.values(), prices),
    )


def _approvals_waiting(tables: PastTables) -> int:
    """Those of a session that an operator ended unread stay open, and count no longer."""
    ended = tables.session["completed_at"]
    return sum(_waits(row) and (ended is None or row["created_at"] > ended) for row in tables.timeline.values())


def _waits(row: Fields) -> bool:
    return (row["event_type"], row["status"]) == ("approval", "streaming")
