from hypothesis import given, settings
from hypothesis import strategies as st

from tarsy_tool_gateway.results.text import truncate_at_space


@settings(deadline=None)
@given(st.text(alphabet="aé漢 \n", max_size=60), st.integers(1, 60))
def test_a_text_that_is_cut_has_whole_words_only(text: str, most: int) -> None:
    cut = truncate_at_space(text, most)
    assert len(cut) <= most
    if cut != text:
        words = cut.removesuffix("…").split()
        assert cut.endswith("…")
        assert words == text.split()[: len(words)]


def test_a_word_that_does_not_fit_goes_whole_and_a_mark_stands_for_it() -> None:
    assert truncate_at_space("key: hunter2-very-secret", 12) == "key: …"
    assert truncate_at_space("hunter2-very-secret", 12) == "…"
    assert truncate_at_space("one two three", 9) == "one two …"
    assert truncate_at_space("one two", 7) == "one two"
