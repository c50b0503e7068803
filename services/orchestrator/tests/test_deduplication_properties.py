"""Owners that die, lag behind and write late decide on each alert once, as one owner that never died would have.

Real: routing, batches, decisions, the table of sessions, heads, the acceptance rule. Kafka is a list.
"""

from collections import deque
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal

from hypothesis import given, settings
from hypothesis import strategies as st

from tarsy_bus.acceptance import ChainTracker
from tarsy_bus.log.head_store import HeadStore
from tarsy_bus.log.heads import newest
from tarsy_bus.log.writer import LogEntry
from tarsy_bus.readers.records import Delivery
from tarsy_contracts import events as e
from tarsy_contracts.events.heads import SessionHead
from tarsy_contracts.messages import inputs as i
from tarsy_contracts.wire.envelope import Envelope
from tarsy_contracts.wire.ids import deduplication_key, derive_id
from tarsy_orchestrator.partition.alert_routing import route
from tarsy_orchestrator.partition.decision_batch import (
    Decision,
    PendingInput,
    find_lost_decisions,
    make_decisions,
    unfold,
)
from tarsy_orchestrator.partition.memory.resting_states import RestingStates
from tarsy_orchestrator.partition.memory.session_table import SessionTable, StateNotLoadedError
from tarsy_orchestrator.partition.ready_inputs import ReadyInputs
from tarsy_session.decision_input import DecisionInput
from tarsy_session.evolve import evolve
from tarsy_session.state import NOT_STARTED, NotStarted, SessionState
from tarsy_testing.story.story import ALERT, BEGINNING, chain

WINDOW = 60.0
KEYS = tuple(deduplication_key("test", name) for name in ("a", "b"))
EPISODES = 6

type Kind = Literal["alert", "cancel", "delete", "resolve"]
type Late = Literal["never", "unread", "delayed"]
"""The last batch of an owner that dies: it never arrives, or nobody reads its end, or it arrives before the next one's
first batch, which was decided without it."""


@dataclass(frozen=True)
class Said:
    """`after`: seconds since the input before it."""

    kind: Kind
    key: int
    episode: int
    after: int

    @property
    def session_id(self) -> str:
        return derive_id("episode", self.key, self.episode)


@dataclass(frozen=True)
class Life:
    """An owner's: so many batches of at most so many inputs. `lag`: heads that it cannot see yet."""

    batches: int
    inputs: int
    lag: int
    starts_back: int
    late: Late


def inbox_of(said: Sequence[Said]) -> list[PendingInput]:
    found, at = [], BEGINNING
    for offset, one in enumerate(said):
        at += timedelta(seconds=one.after)
        alert_id = one.session_id if one.kind in ("alert", "resolve") else ""
        given = DecisionInput(_input(one, offset), f"input {offset}", at, offset, chain=chain(), alert_id=alert_id)
        found.append(PendingInput(one.session_id, given))
    return found


def _input(one: Said, offset: int) -> i.InboxInput:
    match one.kind:
        case "alert":
            same = i.Deduplication(key=KEYS[one.key], window_seconds=WINDOW)
            return i.AlertReceived(alert=ALERT, deduplication=same)
        case "resolve":
            return i.AlertResolutionReported(source="alertmanager", deduplication_key=KEYS[one.key])
        case "cancel":
            return i.CancelRequested(request_id=f"r{offset}", author="ann")
        case "delete":
            return i.SessionDeleteRequested(request_id=f"r{offset}", author="ann")


@dataclass
class World:
    inbox: list[PendingInput]
    log: list[Delivery] = field(default_factory=list)
    heads: list[tuple[str, SessionHead]] = field(default_factory=list)
    committable: int = 0

    def append(self, entries: Sequence[LogEntry]) -> None:
        for entry in entries:
            envelope = Envelope.from_headers(entry.headers)
            self.log.append(Delivery(envelope, entry.value, "log", 0, len(self.log), envelope.time))

    def accepted(self) -> list[Delivery]:
        """By a reader from the beginning."""
        chains = ChainTracker()
        return [one for one in self.log if chains.accept(one.mark())]


class Owner:
    def __init__(self, world: World, life: Life, start: int) -> None:
        known = world.heads[: max(len(world.heads) - life.lag, 0)]
        self._world = world
        store = HeadStore(newest(known))
        self._position = store.beginning
        self.table = SessionTable(store, RestingStates())
        self._came_back: set[str] = set()
        self._queue = deque(world.inbox[start:])
        self._done = set(range(start))
        self._inputs = life.inputs
        self.read()

    def close(self) -> None:
        self.table.close()

    @property
    def idle(self) -> bool:
        return not self._queue

    def read(self) -> None:
        while self._position < len(self._world.log):
            record = self._world.log[self._position]
            self._position += 1
            accepted = self.table.accept(record)
            if accepted is None:
                continue
            self._came_back.add(record.envelope.id)
            if accepted.head is not None and (record.envelope.subject, accepted.head) not in self._world.heads:
                self._world.heads.append((record.envelope.subject, accepted.head))

    def decide(self) -> list[Decision]:
        ready = ReadyInputs(self.table.exists)
        taken = 0
        while self._queue and taken < self._inputs:
            one = route(self._queue[0], self.table, NOTHING_ASIDE)
            if not ready.has_capacity(one):
                break
            self._queue.popleft()
            taken += 1
            self._load(one.session_id)
            if not ready.fold(one):
                ready.add(one)
        decisions, left, undecided = make_decisions(ready.inputs, self.table.tail, source="owner")
        assert undecided == []
        self._queue.extendleft(reversed(unfold(left)))
        return decisions

    def finish(self, decisions: Sequence[Decision]) -> None:
        self._world.append(entries_of(decisions))
        self.read()
        lost = find_lost_decisions(decisions, self._came_back)
        self._queue.extendleft(reversed(unfold(one.waiting for one in lost)))
        for decision in decisions:
            if decision not in lost:
                self._done |= {one.context.offset or 0 for one in decision.waiting.unfolded}
        first = next((one for one in range(len(self._world.inbox)) if one not in self._done), len(self._world.inbox))
        self._world.committable = max(self._world.committable, first)

    def _load(self, session_id: str) -> None:
        try:
            self.table.state(session_id)
        except StateNotLoadedError:
            place = self.table.find_load_position(session_id)
            assert place is not None
            state: SessionState = NotStarted(place.decided, deleted_by=place.last.event_id)
            if place.spans:
                state = NOT_STARTED
                for one in self._world.accepted():
                    if one.envelope.subject == session_id and one.offset <= place.spans[-1].last:
                        state = evolve(state, one.to_recorded_event())
            self.table.load(session_id, state, 1)


class NothingAside:
    def __contains__(self, session_id: str) -> bool:
        return False

    def has_unwritten(self, session_id: str) -> bool:
        return False


NOTHING_ASIDE = NothingAside()


def entries_of(decisions: Sequence[Decision]) -> list[LogEntry]:
    return [entry for decision in decisions for entry in decision.entries]


def play(said: Sequence[Said], lives: Sequence[Life]) -> World:
    world = World(inbox_of(said))
    in_flight: list[LogEntry] = []
    for life in lives:
        with closing(Owner(world, life, max(world.committable - life.starts_back, 0))) as owner:
            for _ in range(life.batches):
                decisions = owner.decide()
                world.append(in_flight)
                in_flight = []
                owner.finish(decisions)
            last = entries_of(owner.decide())
        if life.late == "unread":
            world.append(last)
        in_flight = [*in_flight, *last] if life.late == "delayed" else in_flight
    with closing(Owner(world, Life(0, 40, 0, 0, "never"), max(world.committable - 3, 0))) as owner:
        while not owner.idle:
            decisions = owner.decide()
            world.append(in_flight)
            in_flight = []
            owner.finish(decisions)
    return world


# As it should be


@dataclass
class Session:
    """`alerts`: the offsets of those that it counts. `last_at`: when the last of them came."""

    alerts: list[int]
    last_at: float
    open: bool = True
    deleted: bool = False


def expected(inbox: Sequence[PendingInput]) -> dict[str, list[list[int]]]:
    """The alerts of each life of each session, decided one by one by somebody who never dies."""
    sessions: dict[str, Session] = {}
    latest: dict[str, str] = {}
    lives: dict[str, list[list[int]]] = {}
    for offset, one in enumerate(inbox):
        at, taken = one.context.at.timestamp(), one.context.input
        known = sessions.get(one.session_id)
        match taken:
            case i.AlertReceived():
                met = _met(sessions, latest, one, at)
                if met is None:
                    met = sessions[one.session_id] = Session([], at)
                    latest[one.deduplication_key] = one.session_id
                    lives.setdefault(one.session_id, []).append(met.alerts)
                met.alerts.append(offset)
                met.last_at = at
            case i.CancelRequested() if known is not None:
                known.open = False
            case i.SessionDeleteRequested() if known is not None and not known.open:
                known.deleted = True
    return lives


def _met(sessions: dict[str, Session], latest: dict[str, str], one: PendingInput, at: float) -> Session | None:
    own = sessions.get(one.session_id)
    if own is not None and not own.deleted:
        return own
    met = sessions.get(latest.get(one.deduplication_key, ""))
    if met is None or met.deleted or not (met.open or at - met.last_at <= WINDOW):
        return None
    return met


def counted(world: World) -> dict[str, list[int]]:
    """How many alerts each life of each session counts."""
    lives: dict[str, list[int]] = {}
    for one in world.accepted():
        event = one.to_recorded_event().event
        match event:
            case e.SessionStarted():
                lives.setdefault(one.envelope.subject, []).append(1)
            case e.AlertRepeated():
                lives[one.envelope.subject][-1] += event.count
            case _:
                pass
    return lives


SAID = st.builds(
    Said,
    kind=st.sampled_from(("alert", "alert", "alert", "alert", "cancel", "cancel", "delete", "resolve")),
    key=st.integers(0, len(KEYS) - 1),
    episode=st.integers(0, EPISODES - 1),
    after=st.sampled_from((0, 1, 20, 70)),
)
LIVES = st.builds(
    Life,
    batches=st.integers(0, 6),
    inputs=st.integers(1, 12),
    lag=st.integers(0, 6),
    starts_back=st.integers(0, 12),
    late=st.sampled_from(("never", "unread", "delayed")),
)


def check(said: Sequence[Said], lives: Sequence[Life]) -> None:
    world = play(said, lives)
    wanted = {session_id: [len(alerts) for alerts in lives] for session_id, lives in expected(world.inbox).items()}
    assert counted(world) == wanted


@settings(max_examples=100, deadline=None)
@given(st.lists(SAID, min_size=1, max_size=40), st.lists(LIVES, max_size=5))
def test_each_alert_is_counted_once_in_the_session_that_it_joins(said: list[Said], lives: list[Life]) -> None:
    check(said, lives)


@settings(max_examples=50, deadline=None)
@given(st.lists(LIVES, max_size=4), st.integers(1, 200))
def test_a_storm_is_one_investigation_whoever_dies(lives: list[Life], count: int) -> None:
    world = play([Said("alert", 0, number, 1) for number in range(count)], lives)
    assert list(counted(world).values()) == [[count]]
