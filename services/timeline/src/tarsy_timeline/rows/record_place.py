"""Place of a session's events in the log, as the tables have it."""

from dataclasses import dataclass
from itertools import batched

import asyncpg

from tarsy_bus.acceptance import LastAccepted
from tarsy_contracts.events.heads import Span
from tarsy_service.http.problems import ProblemError

NOT_KNOWN = (
    "An older version projected this session without its place: `tarsy timeline rebuild` makes its record readable."
)


@dataclass(frozen=True, slots=True)
class RecordPlace:
    """The positions of a session's events: these spans of its partition, up to `last`."""

    session_id: str
    partition: int
    spans: tuple[Span, ...]
    last: LastAccepted


def record_place_of(session_id: str, row: asyncpg.Record | None) -> RecordPlace:
    """Raises ProblemError."""
    if row is None:
        raise ProblemError(404, "Not found", f"There is no session {session_id}.")
    if not row["log_spans"]:
        raise ProblemError(404, "Not found", NOT_KNOWN)
    return RecordPlace(
        session_id=session_id,
        partition=row["partition"],
        spans=tuple(Span(first=first, last=last) for first, last in batched(row["log_spans"], 2, strict=True)),
        last=LastAccepted(row["last_event_id"], row["last_number"]),
    )
