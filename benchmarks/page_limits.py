"""Limits of the page's figures, and which of them did not hold."""

from dataclasses import dataclass, field

from saying import say

FIRST_VISIT_MILLISECONDS = 2500.0
LATER_VISIT_MILLISECONDS = 1000.0
FRAMES_A_SECOND = 59.0
"""Of 60: a count over some seconds begins and ends between two frames."""
FRAME_MILLISECONDS = 34.0
"""Two frames: 99 of 100 come no later."""
LONG_TASK_MILLISECONDS = 50.0


@dataclass
class Limits:
    broken: list[str] = field(default_factory=list)
    _held: int = 0

    def at_most(self, name: str, value: float, limit: float, unit: str = "ms") -> None:
        self._judge(value <= limit, f"{name}: {value:.0f} {unit}, at most {limit:.0f}")

    def at_least(self, name: str, value: float, limit: float, unit: str) -> None:
        self._judge(value >= limit, f"{name}: {value:.0f} {unit}, at least {limit:.0f}")

    def _judge(self, holds: bool, words: str) -> None:
        say(f"  limit {'holds' if holds else 'BROKEN'}: {words}")
        if holds:
            self._held += 1
        else:
            self.broken.append(words)

    def summarise(self) -> None:
        say(f"limits: {self._held} hold, {len(self.broken)} broken")
        for words in self.broken:
            say(f"  {words}")
