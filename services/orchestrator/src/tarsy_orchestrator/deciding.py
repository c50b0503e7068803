"""Making the decisions of one batch, each on the state that the ones before it will have made. Pure."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tarsy_bus.log_writer import BATCH_BYTES, Entry
from tarsy_contracts import events as e
from tarsy_contracts.envelope import Envelope, event_id
from tarsy_contracts.identities import session_traceparent
from tarsy_orchestrator.closing import fail
from tarsy_orchestrator.decide import decided
from tarsy_orchestrator.given import Given
from tarsy_orchestrator.imagine import Step, imagined
from tarsy_orchestrator.state import State


@dataclass(frozen=True, slots=True)
class Waiting:
    """An input that waits for its decision."""

    session_id: str
    given: Given


@dataclass(frozen=True, slots=True)
class Tail:
    """Where a session's chain ends, in the log or in the batch that is being made."""

    state: State
    event_id: str | None
    number: int


@dataclass(frozen=True, slots=True)
class Decision:
    """`ids` are those of its events; `last_id` is None when nothing follows.

    `settled`: it was made on what the log says, not on this batch.
    """

    waiting: Waiting
    entries: tuple[Entry, ...]
    ids: tuple[str, ...]
    last_id: str | None
    settled: bool


def make_decisions(
    waiting: Iterable[Waiting], tail_of: Callable[[str], Tail], *, source: str
) -> tuple[list[Decision], list[Waiting]]:
    """The decisions that fit one batch, and the inputs that are left for the next."""
    tails: dict[str, Tail] = {}
    decisions: list[Decision] = []
    left: list[Waiting] = []
    size = 0
    for one in waiting:
        if left:
            left.append(one)
            continue
        built_on = tails.get(one.session_id)
        decision, tail = decide_one(one, built_on or tail_of(one.session_id), source=source, settled=built_on is None)
        size += sum(entry.size for entry in decision.entries)
        if size > BATCH_BYTES and decisions:
            left.append(one)
            continue
        if decision.entries:
            tails[one.session_id] = tail
        decisions.append(decision)
    return decisions, left


def decide_one(waiting: Waiting, tail: Tail, *, source: str, settled: bool) -> tuple[Decision, Tail]:
    """One that no batch could hold is not made: the session fails instead, and says why."""
    session_id, given = waiting.session_id, waiting.given
    steps = decided(session_id, tail.state, given)
    decision, after = _made(waiting, tail, steps, source=source, settled=settled)
    size = sum(entry.size for entry in decision.entries)
    if size <= BATCH_BYTES:
        return decision, after
    error = f"what followed from {given.input.type} had {size} bytes, more than the log takes at once"
    failing = imagined(session_id, tail.state, fail(tail.state, error), given)
    return _made(waiting, tail, failing, source=source, settled=settled)


def _made(waiting: Waiting, tail: Tail, steps: Sequence[Step], *, source: str, settled: bool) -> tuple[Decision, Tail]:
    session_id, given = waiting.session_id, waiting.given
    entries, ids = [], []
    for step in steps:
        entry, id = _entry(session_id, step.event, tail, given, source)
        entries.append(entry)
        ids.append(id)
        tail = Tail(step.after, id, tail.number + 1)
    last = tail.event_id if entries else None
    return Decision(waiting=waiting, entries=tuple(entries), ids=tuple(ids), last_id=last, settled=settled), tail


def _entry(session_id: str, event: e.Event, tail: Tail, given: Given, source: str) -> tuple[Entry, str]:
    value = event.to_bytes()
    number = tail.number + 1
    id = event_id(
        previous=tail.event_id, type=event.type, subject=session_id, sequence=number, time=given.at, value=value
    )
    decided = tail.state.decided if given.offset is None else max(tail.state.decided, given.offset)
    envelope = Envelope(
        id=id,
        type=event.type,
        version=event.version,
        source=source,
        subject=session_id,
        time=given.at,
        sequence=number,
        previous=tail.event_id,
        decided=decided,
        traceparent=session_traceparent(session_id, given.traceparent),
    )
    return Entry(key=session_id.encode(), value=value, headers=envelope.headers()), id
