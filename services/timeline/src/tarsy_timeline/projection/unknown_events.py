"""Accepted events whose content this version does not know: the history has a gap there, and the gap a name."""

from tarsy_contracts.events import EVENTS
from tarsy_contracts.events.recorded import RecordedEvent


def explain_unknown(record: RecordedEvent) -> str | None:
    """Why nothing of the event can be shown; None of one that is known. It names no values."""
    if record.event is not None:
        return None
    envelope = record.envelope
    known, named = EVENTS.get(envelope.type), f"{envelope.type} version {envelope.version}"
    if known is None or envelope.version > known.version:
        return f"{named} is not known to this version of TARSy"
    return f"the body of {named} cannot be read"
