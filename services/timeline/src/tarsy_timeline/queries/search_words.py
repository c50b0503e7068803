"""Words of a search: pure. A word that is not in quotes finds what begins with it, as people type it."""

import re
from dataclasses import dataclass

PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~\u00a0«·»–—‘’“”•…→"
"""Separates words like the schema's function `search_plain` (a test compares). A word with dashes or dots is found by
each part, and as a phrase.
"""
BLANKS = str.maketrans(dict.fromkeys(PUNCTUATION, " "))
PIECE = re.compile(r'"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+)')
SHORTEST_PREFIX = 3
SHORTEST_LAST_PREFIX = 2
"""At the end of several parts. Shorter ones have to fit whole: half of all words begin with a given letter."""
MOST_TERMS = 20


@dataclass(frozen=True, slots=True)
class SearchTerm:
    """Words that follow each other; with `prefix`, the last one may go on."""

    words: tuple[str, ...]
    prefix: bool

    @property
    def text(self) -> str:
        return " ".join(self.words)


def parse_search(text: str) -> tuple[SearchTerm, ...]:
    """Terms that a session has to have, each somewhere. Raises ValueError."""
    found = tuple(dict.fromkeys(term for piece in PIECE.finditer(text) if (term := _parse_term(piece)) is not None))
    if not found:
        raise ValueError("must have a letter or a digit")
    if len(found) > MOST_TERMS:
        raise ValueError(f"must have at most {MOST_TERMS} words")
    return found


def _parse_term(piece: re.Match[str]) -> SearchTerm | None:
    phrase = piece["phrase"]
    words = tuple((piece["word"] if phrase is None else phrase).translate(BLANKS).split())
    if not words:
        return None
    shortest = SHORTEST_PREFIX if len(words) == 1 else SHORTEST_LAST_PREFIX
    return SearchTerm(words, prefix=phrase is None and len(words[-1]) >= shortest)
