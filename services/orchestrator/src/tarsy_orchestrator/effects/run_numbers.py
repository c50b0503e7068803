"""Run numbers of model calls: of two runs of a call, the later owner's has the higher number. Pure.

They count within the generation of the owners' group, which Kafka raises each time that partitions change hands. No
clock is asked: a new owner whose clock is behind would stream chunks that all readers take for those of an older run.
"""

RUNS = 2**30
"""Runs of one process in a generation."""
FIRST = 2**13
"""Runs were numbered by milliseconds since the epoch before: those are below this generation until the year 2248.

Numbers stay below 2**53, which browsers read exactly, for eight million generations.
"""


class RunNumbers:
    def __init__(self) -> None:
        self._generation = 0
        self._begun = 0

    def enter(self, generation: int) -> None:
        """Called before the effects of partitions start that this generation has given to the process."""
        if generation > self._generation:
            self._generation, self._begun = generation, 0

    def next(self) -> int:
        self._begun += 1
        return (FIRST + self._generation) * RUNS + self._begun
