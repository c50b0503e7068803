"""The cut of what people are shown."""

from hypothesis import given
from hypothesis import strategies as st

from tarsy_contracts.display import LIMIT_BYTES, display_cut


def test_what_fits_is_shown_whole() -> None:
    assert display_cut("a" * LIMIT_BYTES) == ("a" * LIMIT_BYTES, False)


def test_what_is_too_long_ends_after_a_line() -> None:
    kept, cut = display_cut("a line of text\n" * LIMIT_BYTES)
    assert cut
    assert kept.endswith("a line of text\n")
    assert len(kept) == LIMIT_BYTES // 15 * 15


def test_one_long_line_is_cut_between_characters() -> None:
    assert display_cut("a" + "€" * LIMIT_BYTES) == ("a" + "€" * ((LIMIT_BYTES - 1) // 3), True)


@given(st.text(max_size=20), st.text("a€\n😀", max_size=40))
def test_a_cut_is_a_beginning_within_the_limit(end: str, text: str) -> None:
    long = text * 2000 + end
    kept, cut = display_cut(long)
    assert long.startswith(kept)
    assert len(kept.encode()) <= LIMIT_BYTES
    assert cut is (kept != long)
