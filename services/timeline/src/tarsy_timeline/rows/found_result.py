"""The result of a tool call: what the tables have of it, and where it lies."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from pydantic import JsonValue

from tarsy_contracts.events.tool import Outcome
from tarsy_contracts.messages.requests import LogPosition
from tarsy_contracts.wire.ids import timeline_event_id
from tarsy_service.http.problems import ProblemError
from tarsy_timeline.rows.session_rows import Row

LOG_OFFSET = "log_offset"
"""The position of a result's event. It is in the row's metadata and in no API answer, as the log may be copied."""
CALL_TYPES = ("llm_tool_call", "runbook")


@dataclass(frozen=True, slots=True)
class FoundResult:
    """`content` is the whole result, where the tables have that; else it lies at `place`."""

    session_id: str
    call_id: str
    outcome: Outcome
    content: str | None
    place: LogPosition


def event_ids_of(call_id: str) -> list[str]:
    """The timeline events that may show this call."""
    return [timeline_event_id(call_id, event_type) for event_type in CALL_TYPES]


def result_of_call(session_id: str, requested: str, rows: Sequence[Row]) -> FoundResult:
    """Raises ProblemError, also where the call has no result yet. `requested`: the id of a call, or its beginning."""
    if not rows:
        raise ProblemError(404, "Not found", f"Session {session_id} has no call {requested}.")
    if len(rows) > 1:
        raise ProblemError(409, "Conflict", f"Several calls of the session begin with {requested}: give the whole id.")
    row, metadata = rows[0], cast("dict[str, JsonValue]", rows[0]["metadata"])
    if "outcome" not in metadata:
        raise ProblemError(409, "Conflict", "The call has no result yet.")
    is_whole = metadata.get("cut") is not True and metadata.get("display_cut") is not True
    offset = metadata.get(LOG_OFFSET)
    if not is_whole and not isinstance(offset, int):
        detail = "An older version recorded this result without its place: `tarsy timeline rebuild` makes it readable."
        raise ProblemError(404, "Not found", detail)
    call_id = metadata.get("call_id")
    return FoundResult(
        session_id=session_id,
        call_id=call_id if isinstance(call_id, str) else requested,
        outcome=cast("Outcome", metadata["outcome"]),
        content=row["content"] if is_whole else None,
        place=LogPosition(partition=row["partition"], offset=offset if isinstance(offset, int) else -1),
    )
