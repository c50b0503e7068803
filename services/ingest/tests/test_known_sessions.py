"""Sessions that alerts join, as far as an ingest knows: by what it accepted itself, and by heads."""

from collections.abc import Sequence

import pytest

from tarsy_bus.log.join_rule import CLOSED, is_investigated, joins
from tarsy_contracts.events import EndStatus
from tarsy_contracts.events.heads import AlertMark, Phase, SessionHead, Span
from tarsy_ingest.intake.known_sessions import JoinedSession, KnownSessions

KEY = "6a7e3a0c-0000-4000-8000-000000000001"
WINDOW = 60.0
NOW = 1_000_000.0
LIFE = Span(first=3, last=9)


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def known(clock: Clock) -> KnownSessions:
    table = KnownSessions(clock)
    table.follows_heads = True
    return table


def head(
    phase: Phase,
    *,
    number: int,
    ended: EndStatus | None = None,
    opened: int = 10,
    alerted: int = 10,
    at: float = NOW,
    spans: Sequence[Span] | None = None,
    key: str = KEY,
) -> SessionHead:
    lives = (LIFE,) if phase == "rest" else ()
    return SessionHead(
        phase=phase,
        number=number,
        offset=9,
        event_id="e",
        decided=alerted,
        spans=lives if spans is None else tuple(spans),
        alerts=AlertMark(key=key, opened=opened, alerted=alerted, alerted_ms=int(at * 1000)),
        ended=ended,
    )


def running(session_number: int = 1, *, opened: int = 10, at: float = NOW) -> SessionHead:
    return head("open", number=session_number, opened=opened, alerted=opened, at=at)


def join(known: KnownSessions, own: str, *, offset: int = 20, window: float = WINDOW) -> JoinedSession | None:
    return known.join(KEY, own, offset, window)


def test_what_this_process_accepted_is_joined_while_the_window_lasts(known: KnownSessions, clock: Clock) -> None:
    assert join(known, "first") is None
    clock.now += 50
    assert join(known, "second", offset=21) == JoinedSession("first", None)
    clock.now += 55
    assert join(known, "third", offset=22) == JoinedSession("first", None), "the window slides with each alert"
    clock.now += 61
    assert join(known, "fourth", offset=23) is None
    assert join(known, "fifth", offset=24) == JoinedSession("fourth", None)


def test_the_key_that_was_met_longest_ago_is_forgotten_first() -> None:
    known = KnownSessions(Clock(), most=2)
    for place, key in enumerate(("a", "b", "a", "c")):
        known.join(key, key, place, WINDOW)
    assert [known.find(key) for key in "abc"] == ["a", None, "c"]
    known.note_head("d", head("open", number=1, key="d"))
    assert [known.find(key) for key in "acd"] == [None, "c", "d"]


def test_a_session_that_another_process_accepted_is_joined_while_it_is_investigated(
    known: KnownSessions, clock: Clock
) -> None:
    known.note_head("theirs", running())
    clock.now += 100 * WINDOW
    assert join(known, "ours") == JoinedSession("theirs", "in_progress")


@pytest.mark.parametrize("ended", ["completed", "failed", "cancelled", "timed_out"])
def test_a_session_that_ended_is_joined_within_the_window(known: KnownSessions, clock: Clock, ended: EndStatus) -> None:
    known.note_head("theirs", running())
    known.note_head("theirs", head("rest", number=9, ended=ended))
    clock.now += WINDOW
    assert join(known, "ours") == JoinedSession("theirs", ended)
    clock.now += WINDOW + 1
    assert join(known, "later") is None


def test_a_session_that_answers_a_question_has_ended(known: KnownSessions, clock: Clock) -> None:
    known.note_head("theirs", head("open", number=12, ended="completed", spans=[LIFE]))
    assert join(known, "ours") == JoinedSession("theirs", "completed")
    clock.now += WINDOW + 1
    assert join(known, "later") is None


def test_heads_of_writers_that_did_not_know_how_it_ended_bring_no_status(known: KnownSessions) -> None:
    known.note_head("theirs", head("rest", number=9))
    assert join(known, "ours") == JoinedSession("theirs", None)
    known.note_head("theirs", head("open", number=12, spans=[LIFE]))
    assert join(known, "other") == JoinedSession("theirs", None), "it is not investigated"


def test_a_session_that_was_cancelled_before_its_turn_is_not_joined(known: KnownSessions) -> None:
    assert join(known, "ours", offset=10) is None
    assert join(known, "again", offset=11) == JoinedSession("ours", None)
    known.note_head("ours", head("rest", number=2, ended="cancelled", alerted=11, at=CLOSED))
    assert join(known, "anew", offset=12) is None


def test_a_deleted_session_is_not_joined_and_its_own_alert_starts_it_anew(known: KnownSessions) -> None:
    known.note_head("theirs", head("rest", number=9, spans=[]))
    assert join(known, "theirs") is None
    known.note_head("theirs", head("rest", number=9, spans=[]))
    assert join(known, "other", offset=21) == JoinedSession("theirs", None)
    known.note_head("theirs", running(10, opened=20))
    assert join(known, "another", offset=22) == JoinedSession("theirs", "in_progress")


def test_an_alert_meets_its_own_session_however_long_ago_that_was(known: KnownSessions, clock: Clock) -> None:
    known.note_head("own", head("rest", number=9, ended="completed", at=NOW - 1e6))
    assert join(known, "own") == JoinedSession("own", "completed")


def test_the_head_of_the_expected_session_brings_its_status(known: KnownSessions) -> None:
    assert join(known, "ours") is None
    known.note_head("ours", running(opened=20))
    assert join(known, "other", offset=21) == JoinedSession("ours", "in_progress")


def test_alerts_since_the_head_was_written_keep_the_window_open(known: KnownSessions, clock: Clock) -> None:
    known.note_head("theirs", running())
    clock.now += 1000
    assert join(known, "ours") == JoinedSession("theirs", "in_progress")
    known.note_head("theirs", head("rest", number=9, ended="completed"))
    clock.now += WINDOW
    assert join(known, "other", offset=21) == JoinedSession("theirs", "completed")


def test_heads_count_by_their_number_in_whatever_order_they_come(known: KnownSessions) -> None:
    known.note_head("theirs", head("rest", number=9, ended="completed"))
    known.note_head("theirs", running())
    known.note_head("older", head("rest", number=50, ended="failed", opened=3))
    assert join(known, "ours") == JoinedSession("theirs", "completed")


def test_the_session_of_before_does_not_replace_the_one_that_was_accepted_after_it(
    known: KnownSessions, clock: Clock
) -> None:
    known.note_head("before", head("rest", number=9, ended="completed", at=NOW - 2 * WINDOW))
    assert join(known, "ours", offset=20) is None
    known.note_head("before", head("rest", number=10, ended="completed", alerted=15, at=NOW - 2 * WINDOW))
    assert join(known, "other", offset=21) == JoinedSession("ours", None)


def test_a_session_that_took_the_accepted_alert_replaces_the_expected_one(known: KnownSessions) -> None:
    assert join(known, "ours", offset=20) is None
    known.note_head("theirs", head("rest", number=9, ended="completed", opened=10, alerted=20))
    assert join(known, "other", offset=21) == JoinedSession("theirs", "completed")


@pytest.mark.parametrize("late", [running(), head("rest", number=9, ended="completed", at=NOW - WINDOW)])
def test_a_head_that_came_too_late_for_the_first_answer_counts_for_the_next(
    known: KnownSessions, late: SessionHead
) -> None:
    assert join(known, "ours", offset=20) is None
    known.note_head("theirs", late)
    found = join(known, "other", offset=21)
    assert found is not None
    assert found.session_id == "theirs"


def test_without_fresh_heads_answers_are_those_of_before(known: KnownSessions, clock: Clock) -> None:
    known.note_head("theirs", running())
    known.follows_heads = False
    assert join(known, "ours") == JoinedSession("theirs", None)
    clock.now += WINDOW + 1
    assert join(known, "ours", offset=21) is None


def test_a_head_without_alerts_is_of_no_session_that_alerts_join(known: KnownSessions) -> None:
    known.note_head("theirs", running().model_copy(update={"alerts": None}))
    assert join(known, "ours") is None


def test_the_rule_of_the_owner() -> None:
    found = [
        joins(int(NOW * 1000), investigated=investigated, at_ms=(NOW + later) * 1000, window_seconds=WINDOW)
        for investigated in (True, False)
        for later in (0, WINDOW, WINDOW + 1)
    ]
    assert found == [True, True, True, True, True, False]


def test_a_session_is_investigated_from_its_start_until_its_first_end() -> None:
    assert is_investigated(running())
    others = (head("rest", number=9, ended="failed"), head("open", number=9, ended="failed", spans=[LIFE]))
    assert not any(is_investigated(one) for one in others)
