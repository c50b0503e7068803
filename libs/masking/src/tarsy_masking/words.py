"""Words that must be in a text before a longer look at it is worth its time."""

import re
from collections.abc import Iterable

from tarsy_masking.patterns import compile_set


class Words:
    """Looks for all of its words in one pass. A pass per word, by `in`, costs as much each as this costs for all."""

    def __init__(self, words: Iterable[bytes]) -> None:
        self._words = tuple(dict.fromkeys(words))
        self._set = compile_set(tuple(re.escape(word.decode("ascii")) for word in self._words))

    def present_in(self, text: bytes) -> frozenset[bytes]:
        if not self._words:
            return frozenset()
        return frozenset(self._words[index] for index in self._set.Match(text) or ())
