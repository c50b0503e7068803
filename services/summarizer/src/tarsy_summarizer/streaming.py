"""Holding a stream back until a part of it can go out masked. Pure, given the mask."""

from collections.abc import Callable

LONG_LINE = 200
SHORT_STREAM = 4_096
"""Characters. Until then, which few summaries exceed, each line goes out at once."""
GROWTH = 8
"""A longer stream is masked again only when it has grown by an eighth: all in all that is linear in its length."""
KEY_BEGINS, KEY_ENDS = "-----BEGIN", "-----END"


class MaskedStream:
    """Masks all that came so far each time, so that a secret is seen whole however it was split.

    When the mask changes what has already gone out, nothing more goes out: the final text replaces it all anyway.
    """

    def __init__(self, mask: Callable[[str], str]) -> None:
        self._mask = mask
        self._text = ""
        self._new: list[str] = []
        self._size = 0
        self._next_look = 0
        self._taken = 0
        self._sent = ""
        self._silent = False

    def take(self, text: str) -> str:
        """What may go out now: whole lines, or a long line up to its last blank."""
        self._new.append(text)
        self._size += len(text)
        if self._silent or self._size < self._next_look:
            return ""
        self._next_look = self._size + self._size // GROWTH if self._size >= SHORT_STREAM else 0
        self._join()
        return self._up_to(self._boundary())

    def rest(self) -> str:
        self._join()
        return self._up_to(len(self._text))

    def _join(self) -> None:
        self._text += "".join(self._new)
        self._new.clear()

    def _boundary(self) -> int:
        line = self._text.rfind("\n") + 1
        if len(self._text) - max(line, self._taken) >= LONG_LINE:
            return max(line, self._text.rfind(" ") + 1)
        return line

    def _up_to(self, end: int) -> str:
        if end <= self._taken or self._silent:
            return ""
        part = self._text[:end]
        if part.count(KEY_BEGINS) > part.count(KEY_ENDS) and end < len(self._text):
            return ""
        masked = self._mask(part)
        if not masked.startswith(self._sent):
            self._silent = True
            self._new.clear()
            return ""
        out = masked[len(self._sent) :]
        self._taken, self._sent = end, masked
        return out
