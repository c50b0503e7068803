"""Search pattern: an expression of RE2, which takes time in proportion to the text, whatever the expression."""

from dataclasses import dataclass
from typing import Any

import re2

from tarsy_results.errors import ResultError

MEMORY = 1 << 20
MOST_STEPS = 1000
"""Size of the compiled program. With this many steps, hostile text of 64 KiB takes half a second."""
BY_LINES = b"(?m)"
AS_IT_STANDS = r"To find a text as it stands, put \Q before it."


class InvalidSearchError(ResultError, ValueError):
    """The caller corrects the expression; the message says how."""


@dataclass(frozen=True, slots=True)
class Match:
    start: int
    end: int


class SearchPattern:
    """Finds nothing that goes beyond a line; `^` and `$` are the ends of one."""

    def __init__(self, expression: str, *, case_sensitive: bool) -> None:
        """Raises InvalidSearchError."""
        options = re2.Options()
        options.log_errors = False
        options.never_nl = True
        options.never_capture = True
        options.case_sensitive = case_sensitive
        options.max_mem = MEMORY
        try:
            self._compiled: Any = re2.compile(BY_LINES + expression.encode(errors="replace"), options)
        except re2.error as problem:
            reason = bytes(problem.args[0]).replace(BY_LINES, b"", 1).decode(errors="replace")
            raise InvalidSearchError(f"`search` is no regular expression of RE2: {reason}. {AS_IT_STANDS}") from problem
        if self._compiled.programsize > MOST_STEPS:
            raise InvalidSearchError(f"`search` is too complicated. Look for something simpler. {AS_IT_STANDS}")

    def find(self, text: bytes, start: int = 0) -> Match | None:
        found = self._compiled.search(text, start)
        return None if found is None else Match(found.start(), found.end())
