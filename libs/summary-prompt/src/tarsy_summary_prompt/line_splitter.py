"""Incremental splitting of a text into lines of bounded length. Pure."""

LONGEST_LINE = 1_000
"""Characters. A longer line becomes several: otherwise one line could use up everything."""


class LineSplitter:
    """Gives the same lines for a text however it is divided into parts; holds back less than two lines' worth."""

    def __init__(self) -> None:
        self._held = ""

    def take(self, text: str) -> list[str]:
        """The lines that are complete by now."""
        text = self._held + text
        end = text.rfind("\n") + 1
        lines = _split_long_lines(text[:end].splitlines())
        unfinished = text[end:].splitlines(keepends=True)
        # Another kind of line break may be the first half of "\r\n": its line waits for the next part.
        last = unfinished.pop() if unfinished else ""
        lines += _split_long_lines([line.splitlines()[0] for line in unfinished])
        # The held part keeps at least one character besides a break, or the line's end would look like an empty line.
        ready = (max(len(last), 2) - 2) // LONGEST_LINE * LONGEST_LINE
        lines += _split_line(last[:ready])
        self._held = last[ready:]
        return lines

    def rest(self) -> list[str]:
        """When there is no more text."""
        held, self._held = self._held, ""
        return _split_long_lines(held.splitlines())


def _split_long_lines(lines: list[str]) -> list[str]:
    if max(map(len, lines), default=0) <= LONGEST_LINE:
        return lines
    return [part for line in lines for part in (_split_line(line) or [line])]


def _split_line(line: str) -> list[str]:
    return [line[start : start + LONGEST_LINE] for start in range(0, len(line), LONGEST_LINE)]
