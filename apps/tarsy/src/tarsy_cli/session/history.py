"""Whole history of a session, read over the API."""

from pydantic import TypeAdapter

from tarsy_cli.api import get, get_rows
from tarsy_contracts.api.sessions import SessionDetail
from tarsy_contracts.api.timeline import SessionHistory, TimelineEvent

TIMELINE = TypeAdapter(tuple[TimelineEvent, ...])


def read_history(api: str, session_id: str) -> SessionHistory:
    """The timeline reaches at least as far as the session; of one that runs it may reach further.

    Raises ApiError or ValidationError.
    """
    session = SessionDetail.model_validate(get(f"{api}/sessions/{session_id}"))
    rows = get_rows(f"{api}/sessions/{session_id}/timeline?at_least={session.last_number}")
    return SessionHistory(last_number=session.last_number, session=session, timeline=TIMELINE.validate_python(rows))
