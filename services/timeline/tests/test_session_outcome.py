"""The first sentence of what was found out: what a list shows of a session that has ended."""

import pytest

from tarsy_timeline.queries.session_outcome import MOST_CHARACTERS, first_sentence


@pytest.mark.parametrize(
    ("markdown", "sentence"),
    [
        ("The pod ran out of memory. Roll back.", "The pod ran out of memory."),
        ("# Analysis\n\n**Root cause**: `api-7` has 512 MiB, i.e. too little. More.",
         "Root cause: api-7 has 512 MiB, i.e. too little."),
        ("**Root cause**\n\nThe *disk* of [db-1](https://x.example/db-1) is full!", "The disk of db-1 is full!"),
        ("Summary:\n- [x] DNS does not answer\n- restart it", "DNS does not answer"),
        ("> 1. First it was slow,\n> then it failed. And so on.", "First it was slow, then it failed."),
        ("```\nkubectl get pods. Now\n```\n| a | b |\n|---|---|\n---\nIt was DNS", "It was DNS"),
        ("Version 1.2.3 of kube_proxy_x \\*fails\\*. Next.", "Version 1.2.3 of kube_proxy_x *fails*."),
        ("## Nothing is wrong ##", "Nothing is wrong"),
        ("It leaks\n[call 3, call 4]. Roll back [call 1].", "It leaks."),
        ("\u6839\u56e0\u662fDNS\u3002\u5176\u4ed6", "\u6839\u56e0\u662fDNS\u3002"),
        (" \n\n---\n", None),
        ("", None),
    ],
)  # fmt: skip
def test_the_outcome_is_the_first_sentence_without_markdown(markdown: str, sentence: str | None) -> None:
    assert first_sentence(markdown) == sentence


@pytest.mark.parametrize("text", ["word " * 100, "x" * 500])
def test_a_long_sentence_is_cut_at_a_word_where_it_has_any(text: str) -> None:
    sentence = first_sentence(text)
    assert sentence is not None
    assert MOST_CHARACTERS - 5 <= len(sentence) <= MOST_CHARACTERS
    assert sentence.endswith(("word\u2026", "x\u2026"))


@pytest.mark.parametrize("piece", ["[", "*", "`", "**a ", "_a ", "> ", "- [ ] ", "~~a __b **c", "# ", "e.g. "])
def test_any_text_has_an_outcome_of_bounded_length(piece: str) -> None:
    assert len(first_sentence(piece * 100_000) or "") <= MOST_CHARACTERS
