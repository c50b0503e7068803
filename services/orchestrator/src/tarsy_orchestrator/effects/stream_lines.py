"""Holding a stream back until a place where it may be cut, and masking what goes out. Pure, given the mask."""

from collections.abc import Callable

LONG_LINE = 400
"""A line that grows beyond this is cut at a blank, or people would wait for a whole paragraph."""
LONGEST_LINE = 16 * 1024
"""Of a line that is longer nothing more is shown before the answer is there: it is masked as a whole each time."""
KEY_BEGINS, KEY_ENDS = "-----BEGIN", "-----END"


class Lines:
    """What goes out at a time: whole lines, or a long line up to its last blank. A key of many lines stays together."""

    def __init__(self) -> None:
        self._held = ""

    def take(self, text: str) -> str:
        self._held += text
        cut = self._held.rfind("\n") + 1
        if cut == 0 and len(self._held) > LONG_LINE:
            cut = self._held.rfind(" ") + 1
        return self._up_to(cut)

    def rest(self) -> str:
        """All, but for a key that has no end yet."""
        return self._up_to(len(self._held))

    def _up_to(self, cut: int) -> str:
        key = self._held.rfind(KEY_BEGINS)
        if key >= 0 and not self._ends(key, cut):
            cut = min(cut, self._held.rfind("\n", 0, key) + 1)
        out, self._held = self._held[:cut], self._held[cut:]
        return out

    def _ends(self, key: int, cut: int) -> bool:
        last = self._held.find(KEY_ENDS, key)
        return last >= 0 and "\n" in self._held[last:cut]


class MaskedLines:
    """A piece of a line is masked together with what has gone out of that line: `password:` and the word after it.

    When the mask changes what has gone out, nothing more goes out of the line: the answer replaces it all anyway.
    """

    def __init__(self, mask: Callable[[str], str]) -> None:
        self._mask = mask
        self._line = ""
        self._sent = ""
        self._silent = False

    def masked(self, text: str) -> str:
        out = "" if self._silent else self._rest_of(self._line + text)
        if text.endswith("\n"):
            self._line, self._sent, self._silent = "", "", False
        return out

    def _rest_of(self, line: str) -> str:
        masked = self._mask(line) if len(self._line) < LONGEST_LINE else ""
        if not masked.startswith(self._sent):
            self._silent = True
            return ""
        out = masked[len(self._sent) :]
        self._line, self._sent = line, masked
        return out
