"""Words that must be in a text before a longer look at it is worth its time."""

import re
from collections.abc import Iterable

from tarsy_masking.patterns import compile_regex_set

_FEW = 3


class Words:
    """Looks for all of its words in one pass. `in` is quicker for a few words, but needs a pass for each."""

    def __init__(self, words: Iterable[bytes]) -> None:
        self._words = tuple(dict.fromkeys(words))
        self._find_numbers = compile_regex_set(tuple(re.escape(word.decode("ascii")) for word in self._words))
        self._are_few = len(self._words) <= _FEW

    def present_in(self, text: bytes) -> frozenset[bytes]:
        if self._are_few:
            return frozenset(word for word in self._words if word in text)
        return frozenset(self._words[index] for index in self._find_numbers(text) or ())
