"""Lookahead: the state as events that are not written yet will make it, for decisions that build on each other."""

from collections.abc import Iterable
from dataclasses import dataclass

from tarsy_contracts import events as e
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.wire.envelope import Envelope
from tarsy_session.decision_input import DecisionInput
from tarsy_session.evolve import evolve
from tarsy_session.state import SessionState

NOWHERE = -1


@dataclass(frozen=True, slots=True)
class LookaheadStep:
    """An event that is not written yet, and the state after it."""

    event: e.Event
    after: SessionState


def look_ahead(
    session_id: str, state: SessionState, events: Iterable[e.Event], context: DecisionInput
) -> list[LookaheadStep]:
    steps: list[LookaheadStep] = []
    for event in events:
        state = imagine(session_id, state, event, context)
        steps.append(LookaheadStep(event, state))
    return steps


def imagine(session_id: str, state: SessionState, event: e.Event, context: DecisionInput) -> SessionState:
    """Makes a state that is never kept: the real one evolves from the log, with the broker's own stamps."""
    envelope = Envelope(
        id="imagined",
        type=event.type,
        version=event.version,
        source="imagined",
        subject=session_id,
        time=context.at,
        decided=context.offset,
    )
    record = RecordedEvent(envelope=envelope, event=event, partition=NOWHERE, offset=NOWHERE, appended_at=context.at)
    return evolve(state, record)
