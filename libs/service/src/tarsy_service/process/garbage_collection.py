"""The garbage collector of a service: it seldom looks at everything."""

import gc

THRESHOLDS = (10_000, 4, 100)
"""Thresholds of the garbage collector's three generations; Python's own are 2,000, 10 and 10.

A full collection visits every object and holds the event loop, 160 to 250 ms with 1,000 open sessions, repeatedly while
they come. Objects that live so long are freed by their reference counts; cycles die young. With 2,000, the
collector examined the requests in flight repeatedly. That was 4 % of an alert's cost, though all of them are
short-lived.
"""


def collect_seldom() -> None:
    """Freezes what is imported, so that it is never looked at again, and makes full collections rare."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
