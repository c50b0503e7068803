"""How long a loop is held by this process itself: in CPU time, which a busy machine does not lengthen."""

import asyncio
import gc
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tarsy_bus.background_tasks import background_tasks

TICK_SECONDS = 0.01


class LoopHeld:
    """CPU seconds that this process (all its threads) spent between two turns of its loop. `turns`: of each turn.

    A thread that computes while the loop waits for its timer adds a tick or so. One that keeps the loop from its turn
    (with the interpreter's lock, or on the loop itself) shows its whole time.
    """

    def __init__(self) -> None:
        self.turns: list[float] = []

    @property
    def longest(self) -> float:
        return max(self.turns)

    @property
    def median(self) -> float:
        return sorted(self.turns)[len(self.turns) // 2]

    async def watch(self) -> None:
        while True:
            before = time.process_time()
            await asyncio.sleep(TICK_SECONDS)
            self.turns.append(time.process_time() - before)


@asynccontextmanager
async def watching_the_loop() -> AsyncIterator[LoopHeld]:
    """The objects of pytest (half a million and more) are no part of what is watched: one full collection of them alone
    holds the loop for 100 ms. Frozen objects stay so: each later collection of the process would look at all of it."""
    held = LoopHeld()
    gc.freeze()
    async with background_tasks(held.watch()):
        yield held
