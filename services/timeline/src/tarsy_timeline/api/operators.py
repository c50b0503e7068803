"""Operators: who may see what strangers sent, and act on it.

With authentication, rights.py admits only operators. Without it, every caller of the API may act. Unmasked text
is off unless a setting allows it. All routes of operators ask here.
"""

from collections.abc import Callable
from typing import Literal

from fastapi import Request

from tarsy_service.access.caller import caller_of
from tarsy_service.http.problems import ProblemError

type RawAccess = Literal["off", "on"]

RAW_IS_OFF = (
    "Raw bytes are unmasked, and this TARSy does not show them: TARSY_RAW_DEAD_LETTERS=on allows it to operators, or, "
    "without TARSY_AUTH_FILE, to whoever reaches its API."
)


class Operators:
    """`mask` is for names: a proxy may say who somebody is."""

    def __init__(self, raw: RawAccess, mask: Callable[[str], str]) -> None:
        self._raw = raw
        self._mask = mask

    def require(self, request: Request) -> str:
        """The operator's name for the record. Raises ProblemError for whom is none."""
        return caller_of(request).author(self._mask)

    def require_raw(self, request: Request) -> str:
        """The name of an operator who may read what is not masked. Raises ProblemError."""
        if self._raw == "off":
            raise ProblemError(403, "Forbidden", RAW_IS_OFF)
        return self.require(request)
