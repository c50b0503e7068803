"""REST answers that list sessions, made of rows."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tarsy_contracts.api.session_lists import (
    ActiveSessions,
    FilterOptions,
    ListedSession,
    Pagination,
    QueuedSession,
    RunningSession,
    SearchHighlight,
    SessionList,
)
from tarsy_contracts.api.sessions import SessionActivity
from tarsy_timeline.queries.search_highlights import passage, search_pattern
from tarsy_timeline.queries.search_words import SearchTerm
from tarsy_timeline.queries.session_activity import activities_of
from tarsy_timeline.queries.session_fields import (
    action_fields,
    cost_fields,
    overview_fields,
    session_fields,
    token_fields,
)
from tarsy_timeline.queries.session_filter import STATUSES, SessionFilter
from tarsy_timeline.rows.cost import NO_COST, Cost
from tarsy_timeline.rows.session_rows import ListedRows, Row


@dataclass(frozen=True, slots=True)
class SessionMatches:
    in_content: bool
    highlights: tuple[SearchHighlight, ...]


NOWHERE = SessionMatches(in_content=False, highlights=())


def _matches_by_session(terms: Sequence[SearchTerm], rows: Sequence[Row]) -> dict[str, SessionMatches]:
    """A match without a passage is left out: what was searched for is the session's id, or past what is shown."""
    if not terms:
        return {}
    pattern = search_pattern(terms)
    found: defaultdict[str, list[SearchHighlight]] = defaultdict(list)
    in_content: dict[str, bool] = {}
    for row in rows:
        in_content[row["session_id"]] = row["in_content"]
        if segments := passage(row["content"], pattern):
            shown = SearchHighlight(source=row["source"], event_id=row["event_id"], segments=segments)
            found[row["session_id"]].append(shown)
    return {name: SessionMatches(inside, tuple(found[name])) for name, inside in in_content.items()}


def session_list(wanted: SessionFilter, listed: ListedRows) -> SessionList:
    """Looks for what was searched in all texts of `matches`, which may be long."""
    pagination = Pagination(
        page=wanted.page,
        page_size=wanted.page_size,
        total_pages=math.ceil(listed.count / wanted.page_size),
        total_items=listed.count,
    )
    found = _matches_by_session(wanted.terms, listed.matches)
    running = activities_of(listed.sessions, listed.running)
    return SessionList(
        sessions=tuple(
            _to_listed_session(
                row,
                found.get(row["session_id"], NOWHERE),
                running.get(row["session_id"]),
                listed.costs.get(row["session_id"], NO_COST),
            )
            for row in listed.sessions
        ),
        pagination=pagination,
    )


def active_sessions(running: Sequence[Row], queued: Sequence[Row]) -> ActiveSessions:
    return ActiveSessions(
        active=tuple(map(_to_running_session, running)), queued=tuple(map(_to_queued_session, queued))
    )


def filter_options(found: Mapping[str, Sequence[str]]) -> FilterOptions:
    """`found`: values of each field of the answer but `statuses`."""
    return FilterOptions.model_validate(
        {**{name: tuple(values) for name, values in found.items()}, "statuses": STATUSES}
    )


def _to_listed_session(row: Row, found: SessionMatches, now: SessionActivity | None, cost: Cost) -> ListedSession:
    return ListedSession.model_validate(
        {
            **session_fields(row),
            **token_fields(row.__getitem__),
            "matched_in_content": found.in_content,
            "highlights": found.highlights,
            "now": now,
            **cost_fields(cost),
            **action_fields(row["action_stages"], row["verdicts"]),
        }
    )


def _to_running_session(row: Row) -> RunningSession:
    return RunningSession.model_validate(overview_fields(row))


def _to_queued_session(row: Row) -> QueuedSession:
    return QueuedSession.model_validate(overview_fields(row))
