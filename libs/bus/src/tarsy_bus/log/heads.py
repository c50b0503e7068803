"""Heads as facts of the accepted log: which one an event brings, and where a reader begins that was seeded by them."""

from collections.abc import Iterable, Mapping

from tarsy_bus.acceptance import ChainLink
from tarsy_bus.log.join_rule import CLOSED
from tarsy_contracts.events import (
    ENDINGS,
    OPENERS,
    AlertRepeated,
    EndStatus,
    SessionCancelled,
    SessionCompleted,
    SessionDeleted,
    SessionFailed,
    SessionStarted,
    SessionTimedOut,
)
from tarsy_contracts.events.heads import AlertMark, Phase, SessionHead, Span
from tarsy_contracts.events.recorded import RecordedEvent

NEAR = 1000
"""Spans with at most so many records between them become one: reading a few more costs less than a long list."""

ENDED: Mapping[str, EndStatus] = {
    SessionCompleted.type: "completed",
    SessionFailed.type: "failed",
    SessionCancelled.type: "cancelled",
    SessionTimedOut.type: "timed_out",
}
"""How an investigation ended, by the event that ended it."""

MOST_SPANS = 64
"""Most spans in a head. Beyond that, the two that lie nearest to each other become one."""


def newest(heads: Iterable[tuple[str, SessionHead]]) -> dict[str, SessionHead]:
    """The highest number of each session, in whatever order and however often they were written."""
    found: dict[str, SessionHead] = {}
    for session_id, head in heads:
        known = found.get(session_id)
        if known is None or known.number < head.number:
            found[session_id] = head
    return found


def next_head(
    current: SessionHead | None, mark: ChainLink, decided: int, alerts: AlertMark | None = None
) -> SessionHead | None:
    """The head that an accepted event brings, or None. `current` is the session's head before it.

    `alerts`: those of the session after it.
    """
    if mark.type == SessionDeleted.type:
        return None if current is None else _make_head("rest", mark, decided, (), alerts, None)
    spans = () if current is None else current.spans
    if mark.type in OPENERS:
        ended = None if current is None or mark.type == SessionStarted.type else current.ended
        return _make_head("open", mark, decided, spans, alerts, ended)
    if current is None:
        return None
    ended = ENDED.get(mark.type, current.ended)
    if current.phase == "open":
        if mark.type not in ENDINGS:
            return None
        return _make_head(
            "rest", mark, decided, _add_span(spans, Span(first=current.offset, last=mark.offset)), alerts, ended
        )
    return _make_head("rest", mark, decided, _add_span(spans, Span(first=mark.offset, last=mark.offset)), alerts, ended)


def next_alerts(current: AlertMark | None, record: RecordedEvent) -> AlertMark | None:
    """The alerts of a session after an accepted event: where alerts with the same key go. `current`: before it."""
    event, decided = record.event, record.envelope.decided
    if isinstance(event, SessionStarted):
        if not event.deduplication_key or decided is None:
            return None
        return AlertMark(
            key=event.deduplication_key, opened=decided, alerted=decided, alerted_ms=_event_time_ms(record)
        )
    if current is None:
        return None
    match event:
        case AlertRepeated():
            at, alerted = max(current.alerted_ms, _event_time_ms(record)), max(current.alerted, decided or 0)
            return current.model_copy(update={"alerted": alerted, "alerted_ms": at})
        case SessionCancelled(reason=reason) if reason:
            # It was never investigated: the alert that comes back is.
            return current.model_copy(update={"alerted_ms": CLOSED})
        case _:
            return current


def _event_time_ms(record: RecordedEvent) -> int:
    """The time of an event is that of the input that it was decided on: an alert's is its append time."""
    return int(record.envelope.time.timestamp() * 1000)


def _make_head(
    phase: Phase,
    mark: ChainLink,
    decided: int,
    spans: tuple[Span, ...],
    alerts: AlertMark | None,
    ended: EndStatus | None,
) -> SessionHead:
    return SessionHead(
        phase=phase,
        number=mark.number,
        offset=mark.offset,
        event_id=mark.event_id,
        decided=decided,
        spans=spans,
        alerts=alerts,
        ended=ended,
    )


def _add_span(spans: tuple[Span, ...], span: Span) -> tuple[Span, ...]:
    if spans and span.first - spans[-1].last <= NEAR:
        return _merge_with_next(spans, span, len(spans) - 1)
    if len(spans) < MOST_SPANS:
        return (*spans, span)
    nearest = min(range(len(spans)), key=lambda place: (*spans, span)[place + 1].first - spans[place].last)
    return _merge_with_next(spans, span, nearest)


def _merge_with_next(spans: tuple[Span, ...], span: Span, index: int) -> tuple[Span, ...]:
    """All of them in order, the one at `index` with the next one as one."""
    every = (*spans, span)
    both = Span(first=every[index].first, last=every[index + 1].last)
    return (*every[:index], both, *every[index + 2 :])
