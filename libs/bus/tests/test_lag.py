"""How far behind a reader is, in seconds."""

from datetime import UTC, datetime, timedelta

from tarsy_bus.queues.lag import Lag

NIGHT = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.time = NIGHT

    def __call__(self) -> datetime:
        return self.time

    def passes(self, **span: float) -> None:
        self.time += timedelta(**span)


def test_nobody_is_behind_where_no_record_waits() -> None:
    clock = Clock()
    lag = Lag(clock)
    clock.passes(hours=5)
    assert lag.seconds(0) == 0


def test_in_a_backlog_the_stamp_of_the_last_record_counts() -> None:
    clock = Clock()
    lag = Lag(clock)
    lag.read(NIGHT - timedelta(hours=1))
    assert lag.seconds(7) == 3600


def test_the_first_record_after_a_quiet_night_is_not_a_night_behind() -> None:
    clock = Clock()
    lag = Lag(clock)
    lag.read(NIGHT)
    clock.passes(hours=8)
    lag.mark_caught_up()
    clock.passes(seconds=2)
    assert lag.seconds(1) == 2


def test_a_brokers_clock_that_is_ahead_of_ours_is_no_lag_below_zero() -> None:
    clock = Clock()
    lag = Lag(clock)
    lag.read(NIGHT + timedelta(minutes=1))
    assert lag.seconds(1) == 0
