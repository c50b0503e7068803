"""The state as it will be when an event that is not written yet comes back, for decisions that build on each other."""

from tarsy_contracts import events as e
from tarsy_contracts.envelope import Envelope
from tarsy_contracts.recorded import Recorded
from tarsy_orchestrator.evolve import evolve
from tarsy_orchestrator.given import Given
from tarsy_orchestrator.state import State

NOWHERE = -1


def imagine(session_id: str, state: State, event: e.Event, given: Given) -> State:
    """Never kept: the real state evolves from the log, with the broker's own stamps."""
    envelope = Envelope(
        id="imagined",
        type=event.type,
        version=event.version,
        source="imagined",
        subject=session_id,
        time=given.at,
        decided=given.offset,
    )
    record = Recorded(envelope=envelope, event=event, partition=NOWHERE, offset=NOWHERE, appended_at=given.at)
    return evolve(state, record)
