"""Decisions on the wish that a session is deleted. Pure."""

from tarsy_contracts import events as e
from tarsy_contracts.messages import inputs as i
from tarsy_session.decide_phases import interrupt_phase
from tarsy_session.decisions.chat import refuse
from tarsy_session.phases import phase_of
from tarsy_session.state import AtRest, Investigating

GAVE_WAY = "the session was deleted"
RUNNING = "the session is not at rest: cancel it first"


def delete(state: Investigating | AtRest, request: i.SessionDeleteRequested) -> list[e.Event]:
    """A session that runs is refused: its calls would go on for nobody. A phase without a call gives way."""
    if request.request_id in state.answers:
        return []
    deleted = e.SessionDeleted(request_id=request.request_id, author=request.author)
    if isinstance(state, AtRest):
        return [deleted]
    phase = phase_of(state)
    if phase.question_refusal is not None or any(not call.result_ready for call in state.calls.values()):
        return [refuse(request, e.DELETE, 409, RUNNING)]
    return [*interrupt_phase(state), phase.end(state, "cancelled", GAVE_WAY), deleted]
