"""Memory of a process: large blocks go back to the system, and the garbage collector seldom looks at everything."""

import ctypes
import gc

_M_MMAP_THRESHOLD = -3
"""From glibc's malloc.h."""
LARGE_BYTES = 256 * 1024
THRESHOLDS = (10_000, 4, 100)
"""Thresholds of the garbage collector's three generations; Python's own are 2,000, 10 and 10.

A full collection looks at every object and holds the event loop: 160 to 250 ms with 1,000 open sessions, again and
again while they come. Objects that live so long are freed by their reference counts; cycles die young. With 2,000, the
requests that are in flight at once were looked at again and again: 4 % of what an alert costs, though they all die.
"""


def return_large_blocks() -> None:
    """Blocks of LARGE_BYTES and more are mapped one by one, and unmapped when freed. Does nothing without glibc.

    Left alone, glibc raises its threshold (to 32 MB) when the first such block is freed. Later ones come from heaps,
    one for each thread, where a small block that lives on above them keeps them: memory grows for hours.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, LARGE_BYTES)


def collect_seldom() -> None:
    """Freezes what is imported, so that it is never looked at again, and makes full collections rare."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
