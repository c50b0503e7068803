"""REST answers that list sessions, and what lists can be filtered by. Keys are Go TARSy's."""

from tarsy_contracts.api.model import ApiModel, Timestamp
from tarsy_contracts.api.sessions import SessionOverview, SessionTotals


class RunningSession(SessionOverview):
    """A session that runs, or is being cancelled."""

    started_at: Timestamp | None
    current_stage_index: int | None
    current_stage_id: str | None


class QueuedSession(SessionOverview):
    """A session that waits for its turn."""

    queue_position: int


class ActiveSessions(ApiModel):
    """At most a thousand of each; queued ones in their order."""

    active: tuple[RunningSession, ...]
    queued: tuple[QueuedSession, ...]


class HighlightSegment(ApiModel):
    """A piece of a text. `match`: it is what was searched for. It is plain text, without any markup."""

    text: str
    match: bool


class SearchHighlight(ApiModel):
    """A passage that fits the search. `source` is `alert`, or the type of the timeline event `event_id`."""

    source: str
    event_id: str | None
    segments: tuple[HighlightSegment, ...]


class ListedSession(SessionTotals):
    """One line of the list. `matched_in_content`: the search was found in the timeline, not only in the alert.

    `highlights` are two at most, the best first; there are none without a search.
    """

    matched_in_content: bool = False
    highlights: tuple[SearchHighlight, ...] = ()


class Pagination(ApiModel):
    page: int
    page_size: int
    total_pages: int
    total_items: int


class SessionList(ApiModel):
    sessions: tuple[ListedSession, ...]
    pagination: Pagination


class FilterOptions(ApiModel):
    """The values that the list of sessions can be filtered by, at most a thousand of each, in order.

    `severities` are in lower case: the filter compares them without regard to case. `session_labels`: those of the
    newest sessions.
    """

    alert_types: tuple[str, ...]
    chain_ids: tuple[str, ...]
    statuses: tuple[str, ...]
    severities: tuple[str, ...] = ()
    clusters: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    workloads: tuple[str, ...] = ()
    session_labels: tuple[str, ...] = ()
