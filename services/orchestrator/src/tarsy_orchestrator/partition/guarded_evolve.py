"""Guarded evolve: an event on which this code raises costs its own session only."""

import traceback

import structlog

from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_session.evolve import evolve
from tarsy_session.state import NO_INPUT, SessionState, Unsupported

log = structlog.get_logger(__name__)


def evolve_guarded(state: SessionState, record: RecordedEvent) -> SessionState:
    """Returns Unsupported when `evolve` raises: a mistake in the code must not touch other sessions."""
    try:
        return evolve(state, record)
    except Exception as problem:  # noqa: BLE001 - whatever it is, the next session's event has to be read
        log.error("event.not_read", session_id=record.session_id, type=record.envelope.type, **describe_error(problem))
        return Unsupported(
            max(state.last_decided_offset, record.envelope.decided or NO_INPUT), raised=type(problem).__name__
        )


def describe_error(problem: Exception) -> dict[str, str]:
    """Fields of an error for the log, without its message: nobody has masked that."""
    return {"problem": type(problem).__name__, "where": "".join(traceback.format_tb(problem.__traceback__))}
