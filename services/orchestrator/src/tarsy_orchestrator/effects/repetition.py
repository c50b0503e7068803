"""Detection of repetition: a model that writes the same again and again. Pure."""

SHORTEST = 30
LONGEST = 500
TIMES = 5
EACH = 2000
DIFFERENT = 8
"""Letters and digits that a unit must hold: blanks, rules and borders of tables may repeat, for a while."""
MONOTONOUS_LOOKS = 6
"""Looks in a row that see one such unit and nothing else: 12,000 characters are no rule of a table any more."""


class RepetitionDetector:
    """Checks each 2,000 characters whether a unit of 30 to 500 characters came five times or more in a row.

    A word, a character or another unit that says little is found when nothing else comes for 12,000 characters.

    It looks at the end only: a model that still repeats itself does so there. So five of the longest units are all that
    must be kept. The checks fall on the same places however the stream cuts the text.
    """

    def __init__(self) -> None:
        self._last = ""
        self._until_look = EACH
        self._monotonous_looks = 0
        self._found = False

    def take(self, text: str) -> bool:
        """Returns True once the text repeats, and from then on."""
        position = 0
        while not self._found and position < len(text):
            piece = text[position : position + self._until_look]
            position += len(piece)
            self._last = (self._last + piece)[-TIMES * LONGEST :]
            self._until_look -= len(piece)
            if self._until_look == 0:
                self._until_look = EACH
                self._found = self._is_repetitive()
        return self._found

    def _is_repetitive(self) -> bool:
        """Two windows overlap by more than two units that say little, so that both hold the same one."""
        unit = unit_at_end(self._last)
        if unit and _says_something(unit):
            return True
        is_monotonous = bool(unit) and self._last[len(unit) :] == self._last[: -len(unit)]
        self._monotonous_looks = self._monotonous_looks + 1 if is_monotonous else 0
        return self._monotonous_looks >= MONOTONOUS_LOOKS


def unit_at_end(text: str) -> str:
    """The unit that came five times in a row; empty where there is none.

    Compares only where the last characters stand again: at the length of the unit before the end.
    """
    end = text[-SHORTEST:]
    start = len(text) - SHORTEST
    found = text.rfind(end, 0, start)
    while found >= 0:
        length = start - found
        if text[-TIMES * length : -length] == text[(1 - TIMES) * length :]:
            return text[-length:]
        found = text.rfind(end, 0, found + SHORTEST - 1)
    return ""


def _says_something(unit: str) -> bool:
    return len({char for char in unit.casefold() if char.isalnum()}) >= DIFFERENT
