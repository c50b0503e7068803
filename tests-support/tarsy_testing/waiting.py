"""Waiting in a test that is not asynchronous."""

import time
from collections.abc import Callable

LONGEST_SECONDS = 120.0
POLL_SECONDS, LATER_POLL_SECONDS, POLL_SHARE = 0.05, 0.5, 0.1


def wait_until(
    holds: Callable[[], bool], *, seconds: float = LONGEST_SECONDS, describe: Callable[[], str] = lambda: ""
) -> None:
    """It looks less often the longer it waits: a look may cost as much as what it waits for."""
    began = time.monotonic()
    while not holds():
        waited = time.monotonic() - began
        assert waited < seconds, f"it did not happen within {seconds:g} seconds {describe()}"
        time.sleep(min(max(waited * POLL_SHARE, POLL_SECONDS), LATER_POLL_SECONDS))
