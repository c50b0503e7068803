"""Work that must be linear in its text, whatever the text. Compared within one run: machines differ."""

import gc
import time
from collections.abc import Callable
from math import inf

TIMES = 8
MUCH_LONGER = 3 * TIMES
"""Quadratic work takes 64 times as long for 8 times the text."""


def assert_linear(work: Callable[[int], object], *, small: int, least_seconds: float = 0.0, tries: int = 20) -> None:
    """`work` makes a text of so many characters, and does with it what is to be linear.

    The least of some tries counts: others are on the machine too. A small text counts as `least_seconds` at least.
    """
    work(small // 4)
    short = long = inf
    for _ in range(tries):
        short = min(short, processor_seconds(lambda: work(small)))
        long = min(long, processor_seconds(lambda: work(small * TIMES)))
        if long < max(short, least_seconds) * MUCH_LONGER:
            return
    raise AssertionError(
        f"{TIMES} times the text took {long / short:.0f} times as long: {short:.3f} s and {long:.3f} s"
    )


def processor_seconds(work: Callable[[], object]) -> float:
    """Seconds of the processor, without what the garbage of other tests costs."""
    collected = gc.isenabled()
    gc.disable()
    try:
        began = time.process_time()
        work()
        return time.process_time() - began
    finally:
        if collected:
            gc.enable()
