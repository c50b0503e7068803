"""A worker that did not reach Kafka for a while knows so before it does anything else."""

from datetime import UTC, datetime, timedelta

from tarsy_bus.liveness.pulse import Pulse


class Clock:
    seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


def test_it_is_fresh_as_long_as_its_last_announcement_that_came_through_is_young() -> None:
    clock = Clock()
    pulse = Pulse(4.0, clock)
    assert not pulse.is_fresh
    pulse.note_acknowledgement(100.0)
    clock.seconds = 104.0
    assert pulse.is_fresh
    clock.seconds = 104.1
    assert not pulse.is_fresh


def test_the_first_announcement_ends_no_lapse() -> None:
    """A process that starts was not cut off from anything."""
    pulse = Pulse(4.0, Clock())
    assert not pulse.was_heard
    pulse.note_acknowledgement(100.0)
    assert pulse.was_heard
    assert pulse.lapses == 0


def test_it_counts_from_before_the_announcement_was_sent() -> None:
    """It lay in the producer during an outage: nobody has heard it before its end."""
    clock = Clock()
    pulse = Pulse(4.0, clock)
    clock.seconds = 130.0
    pulse.note_acknowledgement(100.0)
    assert not pulse.is_fresh


def test_a_lapse_is_remembered_when_the_next_announcement_has_come_through_before_anybody_looked() -> None:
    clock = Clock()
    pulse = Pulse(4.0, clock)
    pulse.note_acknowledgement(100.0)
    before = pulse.lapses
    clock.seconds = 103.0
    pulse.note_acknowledgement(103.0)
    assert pulse.lapses == before
    clock.seconds = 140.0
    pulse.note_acknowledgement(140.0)
    assert pulse.is_fresh
    assert pulse.lapses == before + 1


def test_the_brokers_time_is_carried_on_from_its_last_stamp() -> None:
    clock, stamp = Clock(), datetime(2026, 11, 27, 3, 0, tzinfo=UTC)
    pulse = Pulse(4.0, clock)
    assert pulse.broker_time is None
    clock.seconds = 130.0
    pulse.note_acknowledgement(100.0, stamp)
    clock.seconds = 131.5
    assert pulse.broker_time == stamp + timedelta(seconds=1.5)
