"""Beginnings of matches: for every pattern, of every sample, wherever it is cut."""

import pytest
import re2
from masking_texts import PATTERNS

from tarsy_masking.patterns import Pattern, compile_regex
from tarsy_masking.regexes.beginnings import find_beginnings, find_secret_beginnings
from tarsy_masking.regexes.tree import UnknownSyntaxError, parse, write


def finds_at_end(regex: str, text: str) -> bool:
    return re2.search(rf"(?:{regex})\z", text) is not None


@pytest.mark.parametrize(
    ("regex", "texts"),
    [
        ("abc", ["a", "ab", "abc"]),
        ("a(?:b|cd)e", ["a", "ab", "ac", "acd", "abe", "acde"]),
        ("a*b", ["a", "aaa", "b", "aab"]),
        ("(?:ab){2}c", ["a", "ab", "aba", "abab", "ababc"]),
        (r"a\bc?$", ["a"]),
        ("(?i)a[b-d]{2,}?e", ["A", "aB", "abbbb", "abcdE"]),
        ("a(?:b)?c", ["a", "ab", "ac", "abc"]),
    ],
)
def test_every_beginning_of_a_match_is_found(regex: str, texts: list[str]) -> None:
    assert [text for text in texts if not finds_at_end(find_beginnings(regex), text)] == []
    assert not finds_at_end(find_beginnings(regex), "x")


@pytest.mark.parametrize(
    ("regex", "open_texts", "closed"),
    [
        ("name=(x+)", ["name=x", "name=xx"], ["nam", "name="]),
        ("'(x+)' name", ["'x", "'x'", "'x' na"], ["'"]),
        ("(?:key|(?:name=(x)))!", ["k", "key", "name=x", "name=x!"], ["name="]),
        ("(?:'(x+)'|<(y+)>) name", ["'x", "<y", "'x' n", "<yy> name"], ["'", "<"]),
        ("(?:'(x+)'|z|<(y+)>) name", ["'x", "<y> na", "z", "z n"], ["'", "<"]),
        ("(?i)a(?:b(c)|d(e))f", ["abC", "ade", "abcf"], ["a", "ab", "ad"]),
        ("a(?:b(c))*d", ["ab", "abc", "abcd"], []),
    ],
)
def test_a_secret_has_begun_with_the_first_character_of_its_group(
    regex: str, open_texts: list[str], closed: list[str]
) -> None:
    assert [text for text in open_texts if not finds_at_end(find_secret_beginnings(regex), text)] == []
    assert [text for text in closed if finds_at_end(find_secret_beginnings(regex), text)] == []


def test_what_stands_behind_a_secret_of_several_forms_is_written_once() -> None:
    assert find_secret_beginnings("(?:(a)|(b)|(c))name").count("m") == find_secret_beginnings("(a)name").count("m")


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.name)
def test_of_each_sample_every_beginning_of_its_secret_is_found(pattern: Pattern) -> None:
    within_line = pattern.span == "line"
    for regex in pattern.of_all_families:
        whole = compile_regex(regex, within_line=within_line)
        tree = compile_regex(write(parse(regex)), within_line=within_line)
        at_end = compile_regex(rf"(?:{find_secret_beginnings(regex)})\z", capture=False, within_line=within_line)
        for sample in (text.encode() for text in pattern.samples):
            match = whole.search(sample)
            assert (match is None) == (tree.search(sample) is None)
            if match is None:
                continue
            start = max((match.start(group) for group in range(whole.groups + 1)), default=0)
            cuts = range(start + 1, match.end() + 1)
            assert [sample[:cut] for cut in cuts if at_end.search(sample[:cut]) is None] == []


@pytest.mark.parametrize("regex", [r"\pL", "[[:alpha:]]", "(?P<name>a)", "(a", "*a", "a)", "[a"])
def test_syntax_that_is_not_read_is_refused(regex: str) -> None:
    with pytest.raises(UnknownSyntaxError):
        parse(regex)
