"""Holding a stream back until a place where it may be cut. Pure."""

LONG_LINE = 400
"""A line that grows beyond this is cut at a blank, or people would wait for a whole paragraph."""


class Lines:
    def __init__(self) -> None:
        self._held = ""

    def take(self, text: str) -> str:
        """What may go out now: whole lines, or a long line up to its last blank."""
        self._held += text
        cut = self._held.rfind("\n") + 1
        if cut == 0 and len(self._held) > LONG_LINE:
            cut = self._held.rfind(" ") + 1
        out, self._held = self._held[:cut], self._held[cut:]
        return out

    def rest(self) -> str:
        out, self._held = self._held, ""
        return out
