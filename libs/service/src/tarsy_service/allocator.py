"""The C allocator of a process: what a large result took goes back to the system when it is freed."""

import ctypes

_M_MMAP_THRESHOLD = -3
"""From glibc's malloc.h."""
LARGE_BYTES = 256 * 1024


def return_large_blocks() -> None:
    """Blocks of LARGE_BYTES and more are mapped one by one, and unmapped when freed. Does nothing without glibc.

    Left alone, glibc raises its threshold (to 32 MB) when the first such block is freed. Later ones come from heaps,
    one for each thread, where a small block that lives on above them keeps them: memory grows for hours.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, LARGE_BYTES)
