"""A bound on the bytes of all large answers of a process."""

import pytest

from tarsy_tool_gateway.results.bytes_in_flight import SMALL_BYTES, BytesInFlight, TooLongError

ROOM = 4 * SMALL_BYTES


def test_an_answer_that_finds_no_room_is_refused_and_the_others_go_on() -> None:
    process = BytesInFlight(ROOM)
    with process.answer() as first, process.answer() as second:
        first.grow(4 * SMALL_BYTES)
        second.grow(2 * SMALL_BYTES)
        with pytest.raises(TooLongError, match="room"):
            second.grow(3 * SMALL_BYTES)
        first.grow(4 * SMALL_BYTES)


def test_a_small_answer_is_never_refused() -> None:
    process = BytesInFlight(0)
    with process.answer() as small:
        small.grow(SMALL_BYTES)


def test_what_an_answer_held_is_free_again_afterwards_and_when_it_becomes_less() -> None:
    process = BytesInFlight(ROOM)
    with process.answer() as line:
        line.grow(5 * SMALL_BYTES)
        line.grow(10)
        assert process.held == 0
        line.grow(5 * SMALL_BYTES)
    assert process.held == 0


def test_a_result_that_is_there_counts_even_where_there_is_no_room() -> None:
    process = BytesInFlight(ROOM)
    with process.answer() as result, process.answer() as line:
        result.hold(100 * SMALL_BYTES)
        with pytest.raises(TooLongError):
            line.grow(2 * SMALL_BYTES)
