"""Memory of harmless texts: names of fields, tools and models come again and again."""

from collections.abc import Iterable

LONGEST = 64
"""Characters of a text that is kept."""
MOST = 4_096
"""Texts that are kept. One more, and all are forgotten."""


class KnownHarmless:
    """Texts that masking leaves as they are, whichever session it is for. Threads may share one."""

    def __init__(self) -> None:
        self._texts: set[str] = set()

    def __contains__(self, text: str) -> bool:
        return len(text) <= LONGEST and text in self._texts

    def add(self, text: str) -> None:
        if len(text) > LONGEST:
            return
        if len(self._texts) >= MOST:
            self._texts.clear()
        self._texts.add(text)

    def add_all(self, texts: Iterable[str]) -> None:
        for text in texts:
            self.add(text)
