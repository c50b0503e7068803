"""Marks of a summary that ends too early."""

import pytest

from tarsy_summarizer.summary_text import CUT_MARK, TOO_LONG_MARK, ends_too_early, summary_text


@pytest.mark.parametrize(
    ("text", "cut", "told"),
    [
        ("It restarts.", False, "It restarts."),
        ("It restarts because of a \n", True, f"It restarts because of a{CUT_MARK}"),
        ("word " * 100, False, f"{'word ' * 15}word{TOO_LONG_MARK}"),
        ("x" * 100, True, f"{'x' * 80}{TOO_LONG_MARK}"),
        ("", False, ""),
    ],
)
def test_what_came_is_kept_and_says_that_it_was_cut(text: str, cut: bool, told: str) -> None:
    assert summary_text(text, cut=cut, max_tokens=10) == told
    assert ends_too_early(text, cut=cut, max_tokens=10) is (told != text)


def test_a_note_stands_behind_the_summary_also_behind_one_that_was_cut() -> None:
    assert summary_text("It restarts.", cut=False, max_tokens=10, note="[a note]") == "It restarts.\n\n[a note]"
    assert summary_text("word " * 100, cut=False, max_tokens=10, note="[a note]").endswith(
        f"{TOO_LONG_MARK}\n\n[a note]"
    )
