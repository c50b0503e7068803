"""Timeline changes that people see of an event of the log, in the words of tests."""

from collections.abc import Sequence
from datetime import UTC, datetime

from tarsy_contracts import events as e
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_contracts.timeline.changes import TimelineChange, TimelineCreated, TimelineEnded, timeline_changes
from tarsy_contracts.wire.envelope import Envelope


def at(number: int, event: e.Event | None, *, id: str = "event-id", session: str = "s") -> RecordedEvent:
    """An accepted event at that place in its session."""
    time = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)
    envelope = Envelope(id=id, type="any", version=1, source="test", subject=session, time=time, sequence=number)
    return RecordedEvent(envelope=envelope, event=event, partition=0, offset=number, appended_at=time)


def shown(event: e.Event) -> list[TimelineChange]:
    return timeline_changes(at(7, event))


def created(event: e.Event) -> TimelineCreated:
    (change,) = shown(event)
    assert isinstance(change, TimelineCreated)
    return change


def ended(event: e.Event) -> TimelineEnded:
    (change,) = shown(event)
    assert isinstance(change, TimelineEnded)
    return change


def shown_of(session: str, events: Sequence[e.Event]) -> list[TimelineChange]:
    """The changes of a whole log."""
    records = [at(number, event, id=f"e{number}", session=session) for number, event in enumerate(events, start=1)]
    return [change for record in records for change in timeline_changes(record)]


def still_streaming(changes: Sequence[TimelineChange]) -> set[str]:
    """The timeline events that began to stream and did not end."""
    open_: set[str] = set()
    for change in changes:
        if isinstance(change, TimelineCreated) and change.status == "streaming":
            open_.add(change.event_id)
        elif isinstance(change, TimelineEnded):
            open_.discard(change.event_id)
    return open_
