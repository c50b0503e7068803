"""Regular expressions of one schema, by RE2: it takes time in proportion to the text, whatever the expression."""

from collections.abc import Callable
from typing import Any

import re2

MEMORY = 1 << 18
MOST_PATTERNS = 1_000
COMPILE_STEPS = 200
WORK_PER_STEP = 256
"""Bytes of a text times instructions of a program: so many take about as long as a step of anything else."""


class Patterns:
    """Compiled once for each schema, when needed. A pattern that RE2 does not know is the server's business."""

    def __init__(self) -> None:
        self._compiled: dict[str, Any] = {}

    def matches(self, pattern: str, text: str, spend: Callable[[int], None]) -> bool | None:
        if pattern not in self._compiled:
            if len(self._compiled) >= MOST_PATTERNS:
                return None
            spend(COMPILE_STEPS)
            self._compiled[pattern] = _compile_or_none(pattern)
        compiled = self._compiled[pattern]
        if compiled is None:
            return None
        encoded = text.encode(errors="replace")
        spend(1 + len(encoded) * compiled.programsize // WORK_PER_STEP)
        return compiled.search(encoded) is not None


def _compile_or_none(pattern: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.max_mem = MEMORY
    try:
        return re2.compile(pattern.encode(errors="replace"), options)
    except re2.error:
        return None
