"""Passages of a text around what was searched for: pure, bounded, and without markup."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from tarsy_contracts.api.session_lists import HighlightSegment
from tarsy_timeline.queries.search_words import PUNCTUATION, SearchTerm

BEFORE = 60
"""Characters that are shown before the first match."""
LONGEST = 240
MOST_MATCHES = 10
WORD = rf"[^\s{re.escape(PUNCTUATION)}]"
GAP = rf"[\s{re.escape(PUNCTUATION)}]+"


def search_pattern(terms: Sequence[SearchTerm]) -> re.Pattern[str]:
    """Finds the terms as the database does. The longest is tried first, so that a part never hides the whole."""
    longest_first = sorted(terms, key=lambda term: -len(term.text))
    return re.compile(rf"(?<!{WORD})(?:{'|'.join(map(_term_pattern, longest_first))})", re.IGNORECASE)


def passage(text: str, pattern: re.Pattern[str]) -> tuple[HighlightSegment, ...]:
    """The text around the first match, in segments; empty without any."""
    first = pattern.search(text)
    if first is None:
        return ()
    start = _find_word_start(text, first.start())
    end = min(len(text), max(start + LONGEST, min(first.end(), start + 2 * LONGEST)))
    return tuple(_split_into_segments(text, pattern, start, end))


def _split_into_segments(text: str, pattern: re.Pattern[str], start: int, end: int) -> Iterator[HighlightSegment]:
    shown = start
    before = "… " if start > 0 else ""
    for match in islice(pattern.finditer(text, start, end), MOST_MATCHES):
        if before or match.start() > shown:
            yield HighlightSegment(text=before + text[shown : match.start()], match=False)
        before = ""
        yield HighlightSegment(text=match[0], match=True)
        shown = match.end()
    after = " …" if end < len(text) else ""
    if rest := before + text[shown:end] + after:
        yield HighlightSegment(text=rest, match=False)


def _find_word_start(text: str, match: int) -> int:
    """A place before the match at which no word is cut, as far as there is one."""
    start = max(0, match - BEFORE)
    if start == 0:
        return 0
    blank = re.search(r"\s", text[start:match])
    return start + blank.end() if blank else start


def _term_pattern(term: SearchTerm) -> str:
    words = GAP.join(map(re.escape, term.words))
    return rf"{words}{WORD}*" if term.prefix else rf"{words}(?!{WORD})"
