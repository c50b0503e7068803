"""States of sessions at rest: bounded by bytes, and never taken from under a decision."""

from tarsy_orchestrator.partition.memory.resting_states import EVENT_BYTES, RestingStates, size_of_event
from tarsy_session.state import Unsupported

ONE, OTHER = object(), object()
"""Two partitions of one process."""


def kept(states: RestingStates, *sessions: str, tenure: object = ONE) -> list[str]:
    return [session for session in sessions if states.get((tenure, session)) is not None]


def test_what_was_used_longest_ago_goes_when_the_bytes_are_too_many() -> None:
    states = RestingStates(100)
    for session in "abc":
        states.put((ONE, session), Unsupported(1), 40)
        states.get((ONE, "a"))
    assert kept(states, *"abc") == ["a", "c"]
    assert states.size == 80


def test_the_bound_is_one_for_all_partitions() -> None:
    states = RestingStates(100)
    states.put((ONE, "a"), Unsupported(1), 60)
    states.put((OTHER, "a"), Unsupported(2), 60)
    assert (kept(states, "a"), kept(states, "a", tenure=OTHER)) == ([], ["a"])


def test_a_state_that_a_decision_needs_stays_until_it_is_made() -> None:
    states = RestingStates(100)
    states.put((ONE, "a"), Unsupported(1), 60)
    states.pin((ONE, "a"))
    states.put((ONE, "b"), Unsupported(1), 60)
    assert kept(states, *"ab") == ["a", "b"]
    states.unpin((ONE, "a"))
    assert kept(states, *"ab") == ["b"]


def test_one_session_above_the_bound_can_be_read() -> None:
    """It would be read again and again for ever, if what was read last could go at once."""
    states = RestingStates(100)
    states.put((ONE, "a"), Unsupported(1), 5_000)
    assert kept(states, "a") == ["a"]
    states.put((ONE, "b"), Unsupported(1), 10)
    assert kept(states, *"ab") == ["b"]


def test_a_state_that_is_put_again_counts_once() -> None:
    states = RestingStates(100)
    for size in (50, 70, 30):
        states.put((ONE, "a"), Unsupported(1), size)
    assert states.size == states.size_of((ONE, "a")) == 30


def test_a_partition_that_was_given_up_leaves_nothing() -> None:
    states = RestingStates(100)
    states.put((ONE, "a"), Unsupported(1), 40)
    states.pin((ONE, "a"))
    states.put((OTHER, "b"), Unsupported(1), 40)
    states.drop(ONE)
    assert (states.size, len(states)) == (40, 1)


def test_an_event_without_a_body_costs_something_too() -> None:
    assert size_of_event(None) == EVENT_BYTES
    assert size_of_event(b"12345") == EVENT_BYTES + 5
