"""The longest gap of a soak: when no session went on though one waited, and who called that ready."""

from dataclasses import replace
from datetime import UTC, datetime

from tarsy_contracts import events as e
from tarsy_soak.progress import Interval, ReadyStatement, gaps, progress_faults
from tarsy_testing.story.session_logs import answer, log_of
from tarsy_verification.session_log import SessionLog

ENDED = e.SessionCompleted(final_analysis="the tax table")


def log_at(*stamps: float, ends: bool = True) -> SessionLog:
    """Events at those seconds; the last is the end of the investigation."""
    events = [answer(f"l{number}") for number in range(len(stamps))]
    log = log_of(*events[:-1], ENDED) if ends else log_of(*events)
    at = [datetime.fromtimestamp(stamp, UTC) for stamp in stamps]
    log.accepted[:] = [replace(one, appended_at=when) for one, when in zip(log.accepted, at, strict=True)]
    return log


def test_the_longest_time_between_two_events_of_anybody_comes_first() -> None:
    logs = {"a": log_at(0, 10, 100), "b": log_at(5, 60, 90)}
    assert gaps(logs, ["a", "b"], [], until=100)[0] == Interval(10, 60)


def test_nobody_who_waits_makes_no_gap() -> None:
    assert gaps({"a": log_at(0, 10), "b": log_at(500, 510)}, ["a", "b"], [], until=900)[0].seconds == 10


def test_a_session_that_never_ends_waits_to_the_end() -> None:
    assert gaps({"a": log_at(0, 10, ends=False)}, ["a"], [], until=900)[0] == Interval(10, 900)


def test_who_is_tormented_goes_on_for_all_and_waits_for_nobody() -> None:
    logs = {"a": log_at(0, 100), "endless": log_at(0, 50, 700)}
    assert gaps(logs, ["a"], [], until=700) == [Interval(0, 50), Interval(50, 100)]


def test_a_gap_ends_where_kafka_goes_away_and_begins_anew_when_it_is_back() -> None:
    found = gaps({"a": log_at(0, 200)}, ["a"], [Interval(50, 110)], until=200)
    assert found == [Interval(110, 200), Interval(0, 50)]


def test_a_gap_of_more_than_a_minute_is_a_fault_and_so_is_who_called_it_ready() -> None:
    early, late = ReadyStatement(130, "orchestrator 1"), ReadyStatement(170, "orchestrator 2")
    assert list(progress_faults([Interval(100, 180)], [early, late, late])) == [
        "no session was decided, claimed or ended for 80 s while some waited",
        "orchestrator 2 said that it is ready though nothing went on for more than 60 s",
    ]
    assert list(progress_faults([Interval(100, 160)], [early, late])) == []
