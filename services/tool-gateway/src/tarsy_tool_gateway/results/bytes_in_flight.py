"""Bytes of large answers that a process holds at once, from their first byte until they are stored: a bound on all."""

from collections.abc import Iterator
from contextlib import contextmanager

from tarsy_tool_gateway.errors import ToolGatewayError

MOST_IN_FLIGHT = 256 * 1024 * 1024
SMALL_BYTES = 1024 * 1024
"""These bytes of each answer are not counted: a large one must not cost the small ones anything."""


class TooLongError(ToolGatewayError):
    """More came than may be held: the text says what. The caller gives the answer up."""


class HeldBytes:
    """Those of one answer."""

    def __init__(self, all: "BytesInFlight") -> None:
        self._all = all
        self._counted = 0

    def hold(self, size: int) -> None:
        """Sets the count, whether there is room or not."""
        counted = max(0, size - SMALL_BYTES)
        self._all.held += counted - self._counted
        self._counted = counted

    def grow(self, size: int) -> None:
        """Raises TooLongError where there is no room for so many."""
        more = max(0, size - SMALL_BYTES) - self._counted
        if more > 0 and self._all.held + more > self._all.most:
            raise TooLongError("more bytes than the gateway has room for at the moment, beside other large answers")
        self.hold(size)


class BytesInFlight:
    """`held`: at this moment."""

    def __init__(self, most: int = MOST_IN_FLIGHT) -> None:
        self.most = most
        self.held = 0

    @contextmanager
    def answer(self) -> Iterator[HeldBytes]:
        """Nothing of it is held afterwards."""
        one = HeldBytes(self)
        try:
            yield one
        finally:
            one.hold(0)
