"""Decisions of one batch, each on the state that the ones before it will have made. Pure."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from tarsy_bus.log.writer import BATCH_BYTES, LogEntry
from tarsy_bus.readers.partition_reader import Record
from tarsy_contracts import events as e
from tarsy_contracts.messages.inputs import (
    AlertReceived,
    AlertResolutionReported,
    ChatRequested,
    Deduplication,
    OperatorRequest,
    SessionFailRequested,
    SessionReleaseRequested,
)
from tarsy_contracts.wire.envelope import Envelope, event_id
from tarsy_contracts.wire.ids import session_traceparent
from tarsy_session.actions.guard import count_grants
from tarsy_session.decide import decide_steps
from tarsy_session.decision_input import NO_SPENDINGS, OPEN_GATE, ActionGate, DecisionInput, Spendings
from tarsy_session.lookahead import LookaheadStep, imagine, look_ahead
from tarsy_session.operator_requests import operator_events
from tarsy_session.state import SessionState, Unsupported
from tarsy_session.termination import fail


@dataclass(frozen=True, slots=True)
class PendingInput:
    """An input that waits for its decision. `record`: as it lies in the inbox, for what cannot be decided here.

    `folded`: inputs that came before it and are decided with it.
    """

    session_id: str
    context: DecisionInput
    record: Record | None = field(default=None, repr=False, compare=False)
    folded: tuple["PendingInput", ...] = ()
    read_at: float | None = field(default=None, repr=False, compare=False)
    """When the owner read it, by the monotonic clock; None of what nobody waited for."""

    @property
    def unfolded(self) -> tuple["PendingInput", ...]:
        """All inputs that are decided here, each by itself, in their order."""
        if not self.folded:
            return (self,)
        return (*self.folded, replace(self, context=replace(self.context, repeats=()), folded=()))

    def behind(self, actions: ActionGate, spendings: Spendings = NO_SPENDINGS) -> "PendingInput":
        """The same, with what holds actions now, and with what is known of money."""
        if self.context.actions == actions and self.context.spendings is spendings:
            return self
        return replace(self, context=replace(self.context, actions=actions, spendings=spendings))

    @property
    def deduplication_key(self) -> str:
        """Inputs with the same key are decided in their order, whatever session they meet; empty for all others."""
        match self.context.input:
            case AlertReceived(deduplication=Deduplication(key=key)):
                return key
            case AlertResolutionReported(deduplication_key=key):
                return key
            case _:
                return ""

    @property
    def operator_request(self) -> OperatorRequest | None:
        """The request of an operator: it is decided for a session that is set aside, too."""
        request = self.context.input
        return request if isinstance(request, SessionReleaseRequested | SessionFailRequested) else None

    @property
    def needs_head(self) -> bool:
        """A question tells where the session's lives lie, which its head knows once all of them were read back."""
        return isinstance(self.context.input, ChatRequested)


@dataclass(frozen=True, slots=True)
class SessionTail:
    """End of a session's chain, in the log or in the batch that is being made."""

    state: SessionState
    event_id: str | None
    number: int


@dataclass(frozen=True, slots=True)
class Decision:
    """`ids` are those of its events; `last_id` is None when nothing follows.

    `unfit` says why nothing of it can be appended.
    """

    waiting: PendingInput
    entries: tuple[LogEntry, ...]
    ids: tuple[str, ...]
    last_id: str | None
    unfit: str = ""


@dataclass(frozen=True, slots=True)
class Undecided:
    """An input whose decision raised; no `problem` when an earlier one of its session did."""

    waiting: PendingInput
    problem: Exception | None


class MakeDecisions(Protocol):
    def __call__(
        self, waiting: Iterable[PendingInput], tail_of: Callable[[str], SessionTail], /
    ) -> tuple[list[Decision], list[PendingInput], list[Undecided]]: ...


def make_decisions(
    waiting: Iterable[PendingInput],
    tail_of: Callable[[str], SessionTail],
    *,
    source: str,
    gate: Callable[[], ActionGate] = lambda: OPEN_GATE,
    spendings: Callable[[], Spendings] = lambda: NO_SPENDINGS,
) -> tuple[list[Decision], list[PendingInput], list[Undecided]]:
    """Returns the decisions that fit one batch, the inputs left for the next, and those that cannot be decided.

    `gate`: what holds calls that change something now. `spendings`: prices, and what was used of the days' budgets.
    """
    actions, known = gate(), spendings()
    tails: dict[str, SessionTail] = {}
    decisions: list[Decision] = []
    left: list[PendingInput] = []
    undecided: dict[str, list[Undecided]] = {}
    size = 0
    for one in waiting:
        if left:
            left.append(one)
            continue
        if one.session_id in undecided:
            undecided[one.session_id] += (Undecided(each, None) for each in one.unfolded)
            continue
        built_on = tails.get(one.session_id)
        if built_on is not None and one.needs_head:
            left.append(one)
            continue
        try:
            before = built_on or tail_of(one.session_id)
            decision, tail = decide_one(one.behind(actions, known), before, source=source)
        except Exception as problem:  # noqa: BLE001 - a mistake in the code is not the other sessions' business
            if built_on is None:
                undecided[one.session_id] = [Undecided(each, problem) for each in one.unfolded]
            else:
                left.append(one)  # the decision that it builds on is not on the log yet
            continue
        size += sum(entry.size for entry in decision.entries)
        if size > BATCH_BYTES and decisions:
            left.append(one)
            continue
        if decision.entries:
            tails[one.session_id] = tail
            actions = count_grants(actions, before.state, tail.state)
        decisions.append(decision)
    return decisions, left, [one for found in undecided.values() for one in found]


def unfold(inputs: Iterable[PendingInput]) -> list[PendingInput]:
    """Inputs that are decided anew, each in its turn."""
    return [one for waiting in inputs for one in waiting.unfolded]


def find_lost_decisions(decisions: Iterable[Decision], accepted: Collection[str]) -> list[Decision]:
    """Decisions whose last event was not accepted, and all that were built on them. `accepted`: ids of events."""
    lost: list[Decision] = []
    sessions: set[str] = set()
    for decision in decisions:
        session_id = decision.waiting.session_id
        missing = decision.last_id is not None and decision.last_id not in accepted
        if missing or session_id in sessions:
            sessions.add(session_id)
            lost.append(decision)
    return lost


def decide_one(waiting: PendingInput, tail: SessionTail, *, source: str) -> tuple[Decision, SessionTail]:
    """A decision that no batch could hold is not made: the session fails instead, if it runs, and says why."""
    session_id, context = waiting.session_id, waiting.context
    request = waiting.operator_request
    if request is None:
        steps = decide_steps(session_id, tail.state, context)
    else:
        steps = _decide_operator_request(session_id, tail.state, request, context)
    decision, after = _make_decision(waiting, tail, steps, source=source)
    size = sum(entry.size for entry in decision.entries)
    if size <= BATCH_BYTES:
        return decision, after
    error = f"what followed from {context.input.type} had {size} bytes, more than the log takes at once"
    failing = look_ahead(session_id, tail.state, fail(tail.state, error), context)
    decision, after = _make_decision(waiting, tail, failing, source=source)
    if decision.entries and sum(entry.size for entry in decision.entries) <= BATCH_BYTES:
        return decision, after
    return Decision(waiting=waiting, entries=(), ids=(), last_id=None, unfit=error), tail


def _decide_operator_request(
    session_id: str, state: SessionState, request: OperatorRequest, context: DecisionInput
) -> list[LookaheadStep]:
    """Steps also where no state can be imagined: no other decision of the batch is made on those."""
    events = operator_events(state, request, context)
    try:
        return look_ahead(session_id, state, events, context)
    except Exception:  # noqa: BLE001 - what evolve cannot take is why the session is set aside
        beyond = Unsupported(state.last_decided_offset)
        return [LookaheadStep(event, imagine(session_id, beyond, event, context)) for event in events]


def _make_decision(
    waiting: PendingInput, tail: SessionTail, steps: Sequence[LookaheadStep], *, source: str
) -> tuple[Decision, SessionTail]:
    session_id, context = waiting.session_id, waiting.context
    entries, ids = [], []
    for step in steps:
        entry, id = _make_entry(session_id, step.event, tail, context, source)
        entries.append(entry)
        ids.append(id)
        tail = SessionTail(step.after, id, tail.number + 1)
    last = tail.event_id if entries else None
    return Decision(waiting=waiting, entries=tuple(entries), ids=tuple(ids), last_id=last), tail


def _make_entry(
    session_id: str, event: e.Event, tail: SessionTail, context: DecisionInput, source: str
) -> tuple[LogEntry, str]:
    value = event.to_bytes()
    number = tail.number + 1
    id = event_id(
        previous=tail.event_id, type=event.type, subject=session_id, sequence=number, time=context.at, value=value
    )
    decided = (
        tail.state.last_decided_offset
        if context.offset is None
        else max(tail.state.last_decided_offset, context.offset)
    )
    envelope = Envelope(
        id=id,
        type=event.type,
        version=event.version,
        source=source,
        subject=session_id,
        time=context.at,
        sequence=number,
        previous=tail.event_id,
        decided=decided,
        traceparent=session_traceparent(session_id, context.traceparent),
    )
    return LogEntry(key=session_id.encode(), value=value, headers=envelope.headers()), id
