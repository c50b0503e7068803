"""Progress of the decisions of all owned partitions, for readiness. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Decisions:
    """How many inputs a partition has decided in this tenure, and whether others wait."""

    made: int
    waiting: bool


class DecisionProgress:
    def __init__(self) -> None:
        self._made: dict[int, int] = {}
        self._moved: set[int] = set()

    def has_moved(self, partitions: Mapping[int, Decisions]) -> bool:
        """True once every partition has decided something, or had nothing to decide, since this was True last."""
        for number, decisions in partitions.items():
            if not decisions.waiting or decisions.made != self._made.get(number):
                self._moved.add(number)
            self._made[number] = decisions.made
        if not partitions.keys() <= self._moved:
            return False
        self._made = {number: decisions.made for number, decisions in partitions.items()}
        self._moved.clear()
        return True
