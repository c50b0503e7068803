from hypothesis import given, settings
from hypothesis import strategies as st

from tarsy_results.text import count_lines, split, truncate_at_line

texts = st.text(alphabet="aé漢🙂\n", max_size=200).map(str.encode)
sizes = st.integers(4, 60)


@settings(deadline=None)
@given(texts, sizes)
def test_pieces_are_the_whole_in_order_short_enough_and_each_is_text(data: bytes, most: int) -> None:
    pieces = list(split(data, most))
    assert b"".join(pieces) == data
    assert all(0 < len(piece) <= most for piece in pieces)
    for piece in pieces:
        piece.decode()


@settings(deadline=None)
@given(texts, sizes)
def test_a_cut_is_a_beginning_that_is_text_and_short_enough(data: bytes, most: int) -> None:
    cut = truncate_at_line(data, most)
    assert data.startswith(cut)
    assert len(cut) <= most
    cut.decode()


def test_it_is_cut_after_the_last_line_that_fits() -> None:
    assert truncate_at_line(b"first\nsecond\nthird\n", 15) == b"first\nsecond\n"


def test_a_line_longer_than_half_the_space_is_cut_itself() -> None:
    assert truncate_at_line(b"a\n" + b"b" * 50, 20) == b"a\n" + b"b" * 18


def test_what_fits_is_left_alone() -> None:
    assert truncate_at_line(b"a\nb", 3) == b"a\nb"


def test_a_last_line_without_a_break_is_counted() -> None:
    assert [count_lines(text) for text in (b"", b"a", b"a\n", b"a\nb", b"\n\n")] == [0, 1, 1, 2, 2]
