"""Partitions that are refused: log, heads or inbox do not fit each other. The other partitions of the process go on."""

from collections.abc import Callable

import structlog

log = structlog.get_logger(__name__)


class RefusedPartitions:
    """`counted` gets how many there are. Each take-over looks at them again, for an operator mends them meanwhile."""

    def __init__(self, counted: Callable[[int], None]) -> None:
        self._counted = counted
        self._reasons: dict[int, str] = {}
        self._found: set[int] = set()
        self._others = False

    @property
    def numbers(self) -> frozenset[int]:
        return frozenset(self._reasons)

    def begin(self) -> None:
        """A take-over begins. Earlier refusals are shown until it is over."""
        self._found.clear()

    def refuse(self, number: int, reason: str) -> None:
        self._found.add(number)
        if self._reasons.get(number) != reason:
            log.error("partition.refused", partition=number, reason=reason)
        self._reasons[number] = reason
        self._counted(len(self._reasons))

    def end(self, assigned: frozenset[int]) -> None:
        """The take-over is over: who was not refused in it fits now, or is another process's."""
        self._reasons = {number: self._reasons[number] for number in self._found & assigned}
        self._others = bool(assigned - self._found)
        self._counted(len(self._reasons))

    def explain_degraded(self) -> list[str]:
        """Sentences, while others go on."""
        return list(self._reasons.values()) if self._others else []

    def unready_reasons(self) -> list[str]:
        """Sentences, while no partition of this process goes on."""
        return [] if self._others else list(self._reasons.values())
