"""Retries: the same pauses for all of them, and attempts that go on until one succeeds."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator

from tarsy_contracts.timing import LONGEST_PAUSE_SECONDS

FIRST_PAUSE_SECONDS = 0.25
SPREAD = 0.5
"""The random part by which a pause is shortened, so that clients do not return at the same moment."""

type Draw = Callable[[], float]
"""Returns a number from 0 to 1."""


def draw_growing_pauses(
    first: float = FIRST_PAUSE_SECONDS, longest: float = LONGEST_PAUSE_SECONDS, *, draw: Draw = random.random
) -> Iterator[float]:
    """Seconds: each twice the one before, up to `longest`, and each shorter by a random part of itself."""
    pause = first
    while True:
        yield pause * (1 - SPREAD * draw())
        pause = min(2 * pause, longest)


async def retry[T](
    attempt: Callable[[], Awaitable[T]],
    *,
    passes: Callable[[Exception], bool],
    failed: Callable[[Exception, float], None],
    pauses: Iterator[float] | None = None,
) -> T:
    """The first answer. `failed` is told of each error that passes, and of the pause (seconds) after it.

    Raises the first error that does not pass. It never gives up by itself: the caller's time limit does.
    """
    for pause in pauses or draw_growing_pauses():
        try:
            return await attempt()
        except Exception as problem:
            if not passes(problem):
                raise
            failed(problem, pause)
        await asyncio.sleep(pause)
    raise AssertionError("pauses never end")
