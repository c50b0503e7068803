"""Records of the stream count from where a session's running calls began, and once."""

from tarsy_websocket_gateway.streams.stream_offsets import StreamOffsets


def placed(session_id: str, partition: int, offset: int) -> StreamOffsets:
    offsets = StreamOffsets()
    offsets.add_waiting(session_id, partition)
    offsets.place_sessions(offsets.take_waiting(), {partition: offset})
    return offsets


def test_records_of_nobody_do_not_count() -> None:
    assert not placed("s", 1, 5).takes("other", 7)


def test_what_comes_before_the_partition_was_moved_does_not_hide_the_beginning_of_a_text() -> None:
    offsets = StreamOffsets()
    offsets.add_waiting("s", 1)
    assert not offsets.takes("s", 9)
    offsets.place_sessions(offsets.take_waiting(), {1: 5})
    assert [offsets.takes("s", number) for number in (4, 5, 9)] == [False, True, True]


def test_what_was_taken_is_passed_over_when_the_partition_is_moved_back_for_another_session() -> None:
    offsets = placed("s", 1, 5)
    assert offsets.takes("s", 8)
    offsets.add_waiting("other", 1)
    offsets.place_sessions(offsets.take_waiting(), {1: 2})
    assert [offsets.takes("s", number) for number in (5, 8, 9)] == [False, False, True]
    assert offsets.takes("other", 2)


def test_who_comes_again_gets_the_text_again() -> None:
    offsets = placed("s", 1, 5)
    assert offsets.takes("s", 8)
    offsets.forget("s")
    assert offsets.partitions() == set()
    assert not offsets.takes("s", 9)
    offsets.add_waiting("s", 1)
    offsets.place_sessions(offsets.take_waiting(), {1: 5})
    assert offsets.takes("s", 5)


def test_who_left_meanwhile_is_not_placed() -> None:
    offsets = StreamOffsets()
    offsets.add_waiting("s", 1)
    waiting = offsets.take_waiting()
    offsets.forget("s")
    offsets.place_sessions(waiting, {})
    assert not offsets.takes("s", 9)


def test_what_lay_before_the_end_when_somebody_came_is_replayed_and_what_follows_is_live() -> None:
    offsets = StreamOffsets()
    offsets.begin_live({1: 5})
    assert [offsets.is_replayed(1, number) for number in (4, 5)] == [True, False]
    assert not offsets.is_replayed(2, 4)


def test_a_reader_is_behind_until_what_it_reads_is_live() -> None:
    offsets = StreamOffsets()
    offsets.begin_live({1: 5, 2: 3})
    assert [offsets.is_behind(positions) for positions in ({1: 4, 2: 3}, {1: 5, 2: 3}, {1: 5, 3: 0}, {})] == [
        True,
        False,
        False,
        False,
    ]


def test_a_session_has_caught_up_at_the_end_that_was_when_it_was_placed() -> None:
    offsets = StreamOffsets()
    offsets.begin_live({1: 5})
    offsets.add_waiting("s", 1)
    offsets.place_sessions(offsets.take_waiting(), {1: 2})
    offsets.begin_live({1: 9})
    assert [offsets.list_caught_up({"s"}, positions) for positions in ({}, {1: 4}, {1: 5})] == [[], [], ["s"]]
    offsets.forget("s")
    assert offsets.list_caught_up({"s"}, {}) == ["s"]
