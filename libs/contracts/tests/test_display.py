"""The cut of what people are shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from tarsy_contracts.timeline.display import LIMIT_BYTES, display_cut, display_item


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


@pytest.mark.parametrize(
    ("text", "metadata", "end"),
    [
        ("a" * 9, {"size": 9, "cut": False}, "aaaaaaaaa"),
        ("a" * 200_000, {"size": 200_000, "cut": False}, "Original size: 195KB, limit: 31KB]"),
        ("a" * 60_000, {"size": 900_000, "cut": True}, "Original size: 878KB, limit: 31KB]"),
        ("a" * 9, {"size": 900_000, "cut": True}, "Original size: 878KB, limit: 31KB]"),
        ("a" * 60_000, {}, "a"),
    ],
    ids=["whole", "cut for display", "cut twice", "cut by the gateway", "no result"],
)
def test_a_result_that_is_cut_says_so_in_its_text(text: str, metadata: dict[str, JsonValue], end: str) -> None:
    shown, about = display_item(text, metadata)
    assert shown.endswith(end)
    assert ("\n\n[TRUNCATED: Output exceeded storage display limit \u2014 " in shown) is (end[-1] == "]")
    assert about.get("display_cut", False) is (len(text) > LIMIT_BYTES)
    assert about.items() >= metadata.items()
