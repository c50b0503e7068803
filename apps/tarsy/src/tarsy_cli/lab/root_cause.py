"""Root-cause check: does an analysis name what is known to be the cause? Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

EMPHASIS = re.compile(r"[`*_\s]+")


@dataclass(frozen=True, slots=True)
class RootCauseVerdict:
    named: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def complete(self) -> bool:
        return not self.missing

    def line(self) -> str:
        """`names the root cause: 3 of 4 marks (a, b, c); missing: d`."""
        marks = len(self.named) + len(self.missing)
        named = f" ({', '.join(self.named)})" if self.named else ""
        missing = f"; missing: {', '.join(self.missing)}" if self.missing else ""
        return f"names the root cause: {len(self.named)} of {marks} marks{named}{missing}"


def judge(analysis: str, marks: Sequence[str]) -> RootCauseVerdict:
    """A mark counts in any case, and also where Markdown emphasises a part of it."""
    text = _without_emphasis(analysis)
    named = tuple(mark for mark in marks if _without_emphasis(mark) in text)
    return RootCauseVerdict(named, tuple(mark for mark in marks if mark not in named))


def _without_emphasis(text: str) -> str:
    return EMPHASIS.sub(" ", text).casefold().strip()
