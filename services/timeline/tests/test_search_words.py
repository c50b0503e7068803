"""What a search asks for, and what is shown of what it finds."""

import pytest

from tarsy_timeline.queries.search_highlights import LONGEST, passage, search_pattern
from tarsy_timeline.queries.search_words import SearchTerm, parse_search


def term(*words: str, prefix: bool = True) -> SearchTerm:
    return SearchTerm(words, prefix)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("oom killed", (term("oom"), term("killed"))),
        ("checkout-7d9f", (term("checkout", "7d9f"),)),
        ("api.v1.svc:8080", (term("api", "v1", "svc", "8080"),)),
        ('"out of memory" node', (term("out", "of", "memory", prefix=False), term("node"))),
        ('"never closed', (term("never", "closed", prefix=False),)),
        ("is it", (term("is", prefix=False), term("it", prefix=False))),
        ("pod-a pod-ab", (term("pod", "a", prefix=False), term("pod", "ab"))),
        ("oom oom -- %", (term("oom"),)),
        ("größe “quoted”", (term("größe"), term("quoted"))),
    ],
)
def test_words_are_prefixes_identifiers_phrases_and_quotes_exact(text: str, terms: tuple[SearchTerm, ...]) -> None:
    assert parse_search(text) == terms


@pytest.mark.parametrize("text", ["---", '""', " % "])
def test_a_search_has_a_word(text: str) -> None:
    with pytest.raises(ValueError, match="a letter or a digit"):
        parse_search(text)


def test_a_search_has_few_words() -> None:
    with pytest.raises(ValueError, match="at most 20 words"):
        parse_search(" ".join(f"word{number}" for number in range(21)))


def shown(text: str, search: str) -> list[str]:
    """With matches in brackets."""
    segments = passage(text, search_pattern(parse_search(search)))
    return ["".join(f"[{one.text}]" if one.match else one.text for one in segments)] if segments else []


@pytest.mark.parametrize(
    ("text", "search", "found"),
    [
        ("pod checkout-7d9f4 crashed", "checkout-7d", ["pod [checkout-7d9f4] crashed"]),
        ("pod checkout.7d9f4 crashed", "7d9f4", ["pod checkout.[7d9f4] crashed"]),
        ("Out  of\nmemory: OUT OF MEMORY", '"out of memory"', ["[Out  of\nmemory]: [OUT OF MEMORY]"]),
        ("memories of a memory", '"memory"', ["memories of a [memory]"]),
        ("<b>bold</b>", "bold", ["<b>[bold]</b>"]),
        ("nothing here", "else", []),
        ("breakout", "out", []),
    ],
)
def test_matches_are_marked(text: str, search: str, found: list[str]) -> None:
    assert shown(text, search) == found


def test_a_passage_is_short_and_says_that_it_was_cut() -> None:
    text = "lorem ipsum " * 3_000 + "the needle " + "dolor sit " * 3_000
    [passage] = shown(text, "needle")
    assert passage.startswith("… ")
    assert "ipsum lorem ipsum the [needle] dolor" in passage
    assert passage.endswith(" …")
    assert len(passage) < LONGEST + 20
    [long] = shown("x " + "a" * 30_000, "aaa")
    assert len(long) < 2 * LONGEST + 20
