"""Lookahead: the state as events that are not written yet will make it, for decisions that build on each other."""

from collections.abc import Iterable
from dataclasses import dataclass

from tarsy_contracts import events as e
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.wire.envelope import Envelope
from tarsy_session.decision_input import DecisionInput
from tarsy_session.evolve import evolve
from tarsy_session.state import Investigating, SessionState

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
    for planned in events:
        event = _with_spending(state, planned)
        state = imagine(session_id, state, event, context)
        steps.append(LookaheadStep(event, state))
    return steps


def _with_spending(state: SessionState, event: e.Event) -> e.Event:
    """An agent ends for many reasons; what it has spent until then is the same for all."""
    if not isinstance(event, e.ExecutionCompleted) or not isinstance(state, Investigating):
        return event
    return event.model_copy(update={"spending": state.budgets.own_spending(event.execution_id)})


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
