"""How far the inbox is decided: what may be committed, and when all that was reported has been seen. Pure."""

from collections import deque
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from tarsy_orchestrator.partition.inputs.inbox_progress import InboxProgress

MORNING = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)


def taken(*offsets: int) -> InboxProgress:
    progress = InboxProgress(offsets[0])
    for offset in offsets:
        progress.take(offset, MORNING + timedelta(seconds=offset))
    return progress


def test_what_is_committed_stops_before_the_first_input_whose_decision_has_not_come_back() -> None:
    progress = taken(5, 6, 7)
    progress.mark_done(6)
    progress.mark_done(7)
    assert progress.committable == 5
    progress.mark_done(5)
    assert progress.committable == 8


def test_offsets_without_an_input_are_gone_past_behind_what_is_open_only() -> None:
    progress = taken(5, 6)
    progress.skip_to(8)
    progress.mark_done(6)
    assert (progress.committable, progress.has_passed(8)) == (5, False)
    progress.mark_done(5)
    assert (progress.committable, progress.has_passed(8)) == (8, True)
    progress.skip_to(7)
    assert progress.committable == 8


def test_the_oldest_input_is_the_first_whose_decision_has_not_come_back() -> None:
    progress = taken(5, 6, 7)
    progress.mark_done(6)
    assert progress.oldest == MORNING + timedelta(seconds=5)
    progress.mark_done(5)
    assert progress.oldest == MORNING + timedelta(seconds=7)
    progress.mark_done(7)
    assert progress.oldest is None


def test_whether_all_is_seen_is_told_without_a_look_at_what_is_open() -> None:
    """One open input has many others behind it, and this is asked after each decision."""

    class Unread(deque[object]):
        def __iter__(self) -> Iterator[object]:
            raise AssertionError("looked at all of them")

    progress = taken(*range(1_000))
    for offset in range(1, 1_000):
        progress.mark_done(offset)
    progress._open = Unread(progress._open)  # type: ignore[assignment]
    assert not progress.has_passed(1_000)
    assert progress.has_passed(0)
    progress.mark_done(0)
    assert progress.has_passed(1_000)


def test_all_is_seen_only_when_the_last_input_was_taken_and_is_decided() -> None:
    progress = taken(5, 6)
    progress.mark_done(5)
    assert not progress.has_passed(7)
    progress.mark_done(6)
    assert progress.has_passed(7)
    assert not progress.has_passed(8)


def test_what_ends_after_the_inbox_was_started_anew_says_nothing_of_what_comes_before_it() -> None:
    """An input was buried slowly, and a rebalance came in between: it is delivered again, behind others."""
    anew = InboxProgress(5)
    anew.mark_done(8)
    assert anew.committable == 5
    assert not anew.has_passed(9)


def test_an_inbox_without_anything_new_is_passed_at_once() -> None:
    assert InboxProgress(5).has_passed(5)
    assert InboxProgress(5).committable == 5
