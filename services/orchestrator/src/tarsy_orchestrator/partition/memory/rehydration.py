"""Rehydration of a session from the spans of the log in which its lives lie."""

from dataclasses import dataclass

from tarsy_bus.acceptance import ChainTracker, find_last_before_kept_life
from tarsy_bus.readers.partition_reader import Record
from tarsy_bus.readers.records import parse_record
from tarsy_bus.readers.span_readers import SpanReader
from tarsy_orchestrator.partition.guarded_evolve import evolve_guarded
from tarsy_orchestrator.partition.memory.resting_states import size_of_event
from tarsy_orchestrator.partition.memory.session_table import SessionPlace
from tarsy_session.state import NOT_STARTED, NotStarted, SessionState, Unsupported

LEAST_LIMIT_SECONDS = 30.0
"""Limit of the reading of a session whose spans hold nothing."""
RECORDS_A_SECOND = 2_000
"""Records that are read at least, also on a busy machine: mostly those of others between the lives of the session."""


@dataclass(frozen=True, slots=True)
class Rehydrated:
    """`size`: that of its events, as caches count them."""

    state: SessionState
    size: int


def limit_seconds(position: SessionPlace) -> float:
    """A session with many distant lives has millions of records in its spans. A fixed limit would end and repeat each
    attempt for ever.
    """
    return LEAST_LIMIT_SECONDS + sum(span.last - span.first + 1 for span in position.spans) / RECORDS_A_SECOND


async def rehydrate(reader: SpanReader, partition: int, session_id: str, position: SessionPlace) -> Rehydrated:
    """Returns the session's state at its last event; Unsupported when its spans do not lead there.

    Costs as many records as the spans hold, of this session and of others. A deleted session has none.
    """
    if not position.spans:
        return Rehydrated(NotStarted(position.decided, deleted_by=position.last.event_id), 0)
    state: SessionState = NOT_STARTED
    size = 0
    chains = ChainTracker()
    key = session_id.encode()

    def take(record: Record) -> None:
        nonlocal state, size, chains
        if record.key != key:
            return
        delivery = parse_record(record)
        if delivery is None or delivery.envelope.subject != session_id:
            return
        if (
            record.offset == position.spans[0].first
            and (before := find_last_before_kept_life(delivery.mark())) is not None
        ):
            chains = ChainTracker(known={session_id: before})
        if chains.accept(delivery.mark()):
            state = evolve_guarded(state, delivery.to_recorded_event())
            size += size_of_event(delivery.value)

    await reader.read(partition, position.spans, take)
    if chains.last(session_id) != position.last:
        return Rehydrated(Unsupported(position.decided), 0)
    return Rehydrated(state, size)
