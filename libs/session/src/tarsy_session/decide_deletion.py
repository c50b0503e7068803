"""Decisions on the wish that a session is deleted. Pure."""

from tarsy_contracts import events as e
from tarsy_contracts import inputs as i
from tarsy_session.decide_chat import refuse
from tarsy_session.state import AtRest, Investigating

RUNNING = "the session is not at rest: cancel it first"


def delete(state: Investigating | AtRest, asked: i.SessionDeleteRequested) -> list[e.Event]:
    """A session that runs is refused: its calls would go on for nobody."""
    if asked.request_id in state.answers:
        return []
    if isinstance(state, Investigating):
        return [refuse(asked, e.DELETE, 409, RUNNING)]
    return [e.SessionDeleted(request_id=asked.request_id, author=asked.author)]
