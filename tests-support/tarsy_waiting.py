"""Waiting in a test that is not asynchronous."""

import time
from collections.abc import Callable

LONGEST_SECONDS = 120.0


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LONGEST_SECONDS
    while not holds():
        assert time.monotonic() < deadline, f"it did not happen within {LONGEST_SECONDS:g} seconds"
        time.sleep(0.05)
