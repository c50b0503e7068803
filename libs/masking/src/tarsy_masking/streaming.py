"""Streaming masker: text goes out soon, in whole lines, and never with half a secret. Pure, given the mask.

A stream is cut first (LineCutter) and masked then (PieceMasker); MaskedStream does both. The cost of a character is
bounded, however long the stream or a line of it is.
"""

from collections.abc import Callable, Sequence

LONG_LINE = 200
"""A line that grows beyond this is cut at a blank, or people would wait for a whole paragraph."""
LONGEST_CONTEXT = 16 * 1024
"""Characters that are masked at a time. A line that is longer is not shown."""
SHORT_CONTEXT = 4_096
"""Characters. Until then each piece goes out at once. Most streams are shorter."""
GROWTH = 12
"""With a longer context the next look waits until that has grown by a twelfth."""
PARTS = (0.5, 0.625, 0.75, 0.875)
"""A context that is too long is cut behind the first of these parts at which no secret is cut in two."""
KEY_BEGINS, KEY_ENDS = "-----BEGIN", "-----END"

type Mask = Callable[[str], str]


class MaskedStream:
    def __init__(self, mask: Mask) -> None:
        self._cutter = LineCutter()
        self._masker = PieceMasker(mask)

    def take(self, text: str) -> str:
        """The masked text that may go out now."""
        return self._masker.take(self._cutter.take(text))

    def rest(self) -> str:
        """The text that was held back, when there is no more. An unfinished key is not in it."""
        return self._masker.take(self._cutter.rest()) + self._masker.rest()


class LineCutter:
    """Cuts a stream after whole lines, or in a long line after its last blank. A key of many lines stays together."""

    def __init__(self, long_line: int = LONG_LINE) -> None:
        self._long_line = long_line
        self._held: list[str] = []
        self._size = 0
        self._unfinished_key = False
        self._last = ""

    def take(self, text: str) -> str:
        """The text up to the last place where it may be cut."""
        before = self._size
        self._held.append(text)
        self._size += len(text)
        if self._unfinished_key and not self._sees_end_of_key(text):
            return ""
        cut = text.rfind("\n") + 1
        if not cut and self._size > self._long_line:
            if before <= self._long_line:
                # Nobody has looked for a blank in what was held before.
                return self._up_to("".join(self._held).rfind(" ") + 1)
            cut = text.rfind(" ") + 1
        return self._up_to(before + cut) if cut else ""

    def rest(self) -> str:
        """All that is held, but for a key that has no end yet."""
        return "" if self._unfinished_key else self._up_to(self._size)

    def _sees_end_of_key(self, text: str) -> bool:
        self._last = self._last[-len(KEY_ENDS) :] + text
        if KEY_ENDS in self._last:
            self._unfinished_key = False
        return not self._unfinished_key

    def _up_to(self, cut: int) -> str:
        if not cut:
            return ""
        held = "".join(self._held)
        key = held.rfind(KEY_BEGINS)
        if key >= 0 and not _ends(held, key, cut):
            cut = min(cut, held.rfind("\n", 0, key) + 1)
            self._last = held[key:]
            self._unfinished_key = KEY_ENDS not in self._last
        out, rest = held[:cut], held[cut:]
        self._held, self._size = [rest], len(rest)
        return out


def _ends(held: str, key: int, cut: int) -> bool:
    """Whether the line that ends the key lies before the cut."""
    last = held.find(KEY_ENDS, key)
    return last >= 0 and "\n" in held[last:cut]


class PieceMasker:
    """Masks each piece together with its context, so that a secret is seen whole however it was split: `password:` and
    the word after it, a Kubernetes Secret of many lines.

    When the mask changes what has gone out, nothing more goes out: the final text replaces it all anyway.
    """

    def __init__(self, mask: Mask) -> None:
        self._mask = mask
        self._context = ""
        self._sent = ""
        """The context, masked: it has gone out."""
        self._new: list[str] = []
        self._size = 0
        """The length of context and new pieces."""
        self._next_look = 0
        self._skips_line = False
        self._silent = False

    def take(self, piece: str) -> str:
        """The masked text that may go out now."""
        if self._skips_line:
            _, line_break, piece = piece.partition("\n")
            self._skips_line = not line_break
        if self._silent or not piece:
            return ""
        self._new.append(piece)
        self._size += len(piece)
        return self._look() if self._size >= self._next_look else ""

    def rest(self) -> str:
        """The text that was held back, when there are no more pieces."""
        return self._look() if self._new else ""

    def _look(self) -> str:
        new = "".join(self._new)
        self._new.clear()
        if self._size > LONGEST_CONTEXT and not self._shorten_context():
            return self.take(new)
        return self._send(self._context + new)

    def _send(self, text: str) -> str:
        masked = self._mask(text)
        if not masked.startswith(self._sent):
            return self._fall_silent()
        out = masked[len(self._sent) :]
        self._context, self._sent, self._size = text, masked, len(text)
        self._next_look = self._size + self._size // GROWTH if self._size >= SHORT_CONTEXT else 0
        return out

    def _shorten_context(self) -> bool:
        """Forgets about its first half, where a line begins, if both parts are masked each by itself as they were
        together. False for a line that is too long."""
        if not self._context:
            return True
        if "\n" not in self._context:
            self._forget()
            self._skips_line = True
            return False
        for begin in self._line_starts():
            kept = self._mask(self._context[begin:])
            if self._mask(self._context[:begin]) + kept == self._sent:
                self._context, self._sent = self._context[begin:], kept
                return True
        self._fall_silent()
        return False

    def _line_starts(self) -> Sequence[int]:
        """Where the context may be cut: of one part the next line, or the last line that there is."""
        found = [self._context.find("\n", int(part * len(self._context))) + 1 for part in PARTS]
        return sorted(set(found) - {0}) or [self._context.rfind("\n") + 1]

    def _fall_silent(self) -> str:
        self._forget()
        self._silent = True
        return ""

    def _forget(self) -> None:
        self._context = self._sent = ""
        self._size = self._next_look = 0
