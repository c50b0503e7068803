"""How far the inbox is decided: what may be committed, and when all that was reported has been seen. Pure."""

from datetime import UTC, datetime

from tarsy_orchestrator.progress import InboxProgress

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


def taken(*offsets: int) -> InboxProgress:
    progress = InboxProgress(offsets[0])
    for offset in offsets:
        progress.take(offset)
    return progress


def test_what_is_committed_stops_before_the_first_input_whose_decision_has_not_come_back() -> None:
    progress = taken(5, 6, 7)
    progress.done(6)
    progress.done(7)
    assert progress.committable == 5
    progress.done(5)
    assert progress.committable == 8


def test_a_held_input_holds_the_offset_and_nothing_else() -> None:
    progress = taken(5, 6)
    progress.hold(5, NOON)
    progress.done(6)
    assert progress.held == [NOON]
    assert progress.committable == 5
    assert progress.passed(7), "a recovery does not wait for what it cannot decide"


def test_all_is_seen_only_when_the_last_input_was_taken_and_is_decided() -> None:
    progress = taken(5, 6)
    progress.done(5)
    assert not progress.passed(7)
    progress.done(6)
    assert progress.passed(7)
    assert not progress.passed(8)


def test_what_ends_after_the_inbox_was_started_anew_says_nothing_of_what_comes_before_it() -> None:
    """An input was buried slowly, and a rebalance came in between: it is delivered again, behind others."""
    anew = InboxProgress(5)
    anew.done(8)
    assert anew.committable == 5
    assert not anew.passed(9)


def test_an_inbox_without_anything_new_is_passed_at_once() -> None:
    assert InboxProgress(5).passed(5)
    assert InboxProgress(5).committable == 5
