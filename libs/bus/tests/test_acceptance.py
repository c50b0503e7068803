"""The acceptance rule, under owners that take over at any moment, zombies at any lag, and heads that lag.

Readers that start anywhere must agree with one that reads everything; and each
rule of the module, taken away, must make them disagree: else the rule, or this test, would be worth nothing.
"""

from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarsy_bus import acceptance
from tarsy_bus.acceptance import ChainLink, ChainTracker, LastAccepted, LogMismatchError
from tarsy_bus.log.head_store import HeadStore
from tarsy_bus.log.heads import newest
from tarsy_contracts.events.heads import SessionHead
from tarsy_testing.story.acceptance_world import KINDS, SESSIONS, Owner, Schedule, World, hostile, play


def schedules() -> st.SearchStrategy[Schedule]:
    step = st.tuples(st.sampled_from(KINDS), st.integers(0, 3), st.integers(0, 2), st.integers(0, 3), st.booleans())
    return st.lists(step, min_size=5, max_size=60)


def broken_chains(log: list[ChainLink]) -> list[str]:
    """Sessions with an accepted event that was not decided on what was accepted before it."""
    chains, broken = ChainTracker(), []
    for mark in log:
        before = chains.last(mark.session_id)
        if chains.accept(mark) and mark.previous != (before.event_id if before else None):
            broken.append(mark.session_id)
    return broken


def disagreements(world: World) -> list[str]:
    """Sessions of which a reader that started in the middle ends elsewhere than one that read everything."""
    whole = Owner(world.log)
    whole.read(len(world.log))
    found = broken_chains(world.log)
    for owner in world.owners:
        owner.read(len(world.log))
        found += [one for one in SESSIONS if owner.chains.last(one) != whole.chains.last(one)]
    return found


@settings(max_examples=300, deadline=None)
@given(schedules())
def test_readers_that_start_anywhere_agree_with_one_that_reads_everything(schedule: Schedule) -> None:
    assert disagreements(play(schedule)) == []


@settings(max_examples=100, deadline=None)
@given(schedules())
def test_a_reader_that_knows_every_session_at_one_position_agrees_from_there_on(schedule: Schedule) -> None:
    world = play(schedule)
    whole = ChainTracker()
    verdicts = [whole.accept(mark) for mark in world.log]
    for cut in range(len(world.log) + 1):
        before = ChainTracker()
        for mark in world.log[:cut]:
            before.accept(mark)
        known = {one: last for one in SESSIONS if (last := before.last(one))}
        late = ChainTracker(known=known)
        assert [late.accept(mark) for mark in world.log[cut:]] == verdicts[cut:]


def first_disagreement(seeds: int) -> int | None:
    """The first seed whose readers disagree. A reader that refuses the log disagrees too."""
    for seed in range(seeds):
        try:
            if disagreements(play(hostile(seed))):
                return seed
        except LogMismatchError:
            return seed
    return None


def test_long_hostile_schedules_agree() -> None:
    assert first_disagreement(1500) is None


def test_owners_whose_heads_lie_in_a_store_agree_too() -> None:
    stores: list[HeadStore] = []

    def take_over(self: World) -> None:
        heads = newest(self.published)
        store = HeadStore(heads)
        stores.append(store)
        owner = Owner(self.log, position=store.beginning, chains=ChainTracker(store), heads=store)
        owner.read(len(self.log))
        self.owners = [*self.owners, owner][-4:]

    try:
        with mock.patch.object(World, "take_over", take_over):
            assert first_disagreement(150) is None
    finally:
        for store in stores:
            store.close()


WITHOUT = {
    "the predecessor is not compared, only the number": (
        "follows",
        lambda known, mark: mark.number == known.number + 1,
    ),
    "the number is not compared, only the predecessor": (
        "follows",
        lambda known, mark: mark.previous == known.event_id,
    ),
    "a second start is accepted": ("follows", lambda known, mark: mark.previous in (known.event_id, None)),
    "any event opens a session that nobody knows": ("starts", lambda mark: True),
    "an open session is taken up at its first record, wherever that lies": ("is_opener", lambda head, mark: True),
}


@pytest.mark.parametrize("missing", WITHOUT)
def test_without_any_one_rule_readers_disagree(missing: str) -> None:
    rule, instead = WITHOUT[missing]
    with mock.patch.object(acceptance, rule, instead):
        assert first_disagreement(5000) is not None


def test_heads_published_out_of_order_lose_sessions() -> None:
    """The order of head writes is a rule too."""

    def publish_latest_first(self: World, owner: Owner, count: int) -> None:
        for _ in range(min(count, len(owner.unpublished))):
            self.published.append(owner.unpublished.pop())

    with mock.patch.object(World, "publish", publish_latest_first):
        assert first_disagreement(5000) is not None


def test_a_reader_without_heads_is_lost_in_the_middle() -> None:
    def take_over_blindly(self: World) -> None:
        owner = Owner(self.log, position=len(self.log) // 2)
        owner.read(len(self.log))
        self.owners = [*self.owners, owner][-4:]

    with mock.patch.object(World, "take_over", take_over_blindly):
        assert first_disagreement(5000) is not None


def head(phase: str, *, offset: int, event_id: str) -> SessionHead:
    return SessionHead(
        phase="open" if phase == "open" else "rest", number=7, offset=offset, event_id=event_id, decided=3, spans=()
    )


def test_an_opener_that_is_not_where_its_head_says_is_refused_with_a_sentence() -> None:
    chains = ChainTracker({"a": head("open", offset=5, event_id="x")})
    with pytest.raises(LogMismatchError, match="should open with event x at offset 5"):
        chains.accept(ChainLink("a", "e", "y", "x", 8, offset=6))


@pytest.mark.parametrize("number", [1, 2, 4, 10**18 - 1])
def test_an_event_that_does_not_count_on_is_dropped_though_it_names_the_last_one(number: int) -> None:
    """Heads are told apart by their numbers, and no event could follow upon the highest one that an envelope holds."""
    chains = ChainTracker()
    assert chains.accept(ChainLink("a", "session.started", "1", None, 1, offset=0))
    assert chains.accept(ChainLink("a", "e", "2", "1", 2, offset=1))
    assert not chains.accept(ChainLink("a", "e", "forged", "2", number, offset=2))
    assert chains.accept(ChainLink("a", "e", "3", "2", 3, offset=3))


def test_a_start_with_another_number_than_the_first_opens_nothing() -> None:
    assert not ChainTracker().accept(ChainLink("a", "session.started", "1", None, 10**18 - 1, offset=0))


def test_an_event_of_an_unknown_type_moves_the_chain_on_like_any_other() -> None:
    chains = ChainTracker()
    assert chains.accept(ChainLink("a", "session.started", "1", None, 1, offset=0))
    assert chains.accept(ChainLink("a", "from.the.future", "2", "1", 2, offset=1))
    assert chains.accept(ChainLink("a", "e", "3", "2", 3, offset=2))
    assert chains.last("a") == LastAccepted("3", 3)
