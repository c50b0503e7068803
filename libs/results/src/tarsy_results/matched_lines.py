"""Count of the lines that match a search, also of those that are not shown. Pure."""

from tarsy_results.blocks import Block
from tarsy_results.pattern import SearchPattern


class MatchedLines:
    """`first` and `last` are the numbers of such lines, once there is one."""

    def __init__(self) -> None:
        self.count = 0
        self.first = -1
        self.last = -1

    def add(self, line: int) -> None:
        """Lines come in their order, some of them several times."""
        if line <= self.last:
            return
        if not self.count:
            self.first = line
        self.count += 1
        self.last = line

    def add_all(self, pattern: SearchPattern, block: Block) -> None:
        """A block that was looked at in part adds nothing twice."""
        text, line, start = block.text, block.at.line, 0
        while start < len(text) and (match := pattern.find(text, start)) is not None:
            if match.start == len(text) and text.endswith(b"\n"):
                # The end of the last line, which is no line of its own.
                return
            line += text.count(b"\n", start, match.start)
            self.add(line)
            end = text.find(b"\n", match.start)
            if end < 0:
                return
            line, start = line + 1, end + 1
