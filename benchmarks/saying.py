"""Printing figures, and how loaded the machine was."""

import os
import statistics
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


@contextmanager
def load_told() -> Iterator[None]:
    say(f"load of the machine before: {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores")
    yield
    say(f"load of the machine after: {os.getloadavg()[0]:.2f}")


def tail(values: Sequence[float]) -> str:
    """Of milliseconds."""
    found = statistics.quantiles(values, n=100)
    return f"p50 {found[49]:.1f} ms, p99 {found[98]:.1f} ms, worst {max(values):.1f} ms ({len(values)} of them)"
