"""A session and its timeline as they were after one of its events. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from operator import itemgetter

from tarsy_contracts.api.timeline import PastSession
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.prices import NO_PRICES, ModelPrices
from tarsy_contracts.wire.envelope import wire_time
from tarsy_timeline.projection.projection import row_changes
from tarsy_timeline.queries import responses
from tarsy_timeline.rows.column_rules import Fields
from tarsy_timeline.rows.model_costs import cost_of
from tarsy_timeline.rows.row_statements import apply_changes
from tarsy_timeline.rows.session_rows import SessionRows
from tarsy_timeline.rows.statement import NEW_ROWS, Tables


def past_session(records: Sequence[RecordedEvent], number: int, prices: ModelPrices = NO_PRICES) -> PastSession | None:
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


def past_rows(records: Sequence[RecordedEvent], prices: ModelPrices = NO_PRICES) -> SessionRows:
    """After the last of these events, of which the first is the session's."""
    tables: Tables = defaultdict(dict)
    session = tables["sessions"][records[0].session_id,] = _first_fields_of_session(records)
    for record in records:
        apply_changes(tables, row_changes(record))
    timeline, executions = tables["timeline_events"], tables["agent_executions"]
    stage_of = {one["execution_id"]: one["stage_id"] for one in executions.values()}
    return SessionRows(
        session={**session, "approvals_waiting": _count_waiting_approvals(session, timeline.values())},
        stages=sorted(tables["stages"].values(), key=itemgetter("stage_index")),
        executions=sorted(executions.values(), key=itemgetter("agent_index", "execution_id")),
        timeline=[
            {**one, "stage_id": stage_of.get(one["execution_id"])}
            for one in sorted(timeline.values(), key=itemgetter("sequence_number"))
        ],
        cost=cost_of(tables["model_usage"].values(), prices),
    )


def _first_fields_of_session(records: Sequence[RecordedEvent]) -> Fields:
    """With what other sessions decide, which the log of this one has not."""
    first = records[0]
    own = {"session_id": first.session_id, "created_at": first.envelope.time, "last_number": records[-1].number}
    return {**NEW_ROWS["sessions"], **own, "queue_position": None, "reruns": []}


def _count_waiting_approvals(session: Fields, timeline: Iterable[Fields]) -> int:
    """Calls of a session that an operator ended unread stay open, and do not count."""
    ended = session["completed_at"]
    return sum(_is_open_approval(row) and (ended is None or row["created_at"] > ended) for row in timeline)


def _is_open_approval(row: Fields) -> bool:
    return (row["event_type"], row["status"]) == ("approval", "streaming")
