"""Callbacks for metrics: of writes, of records that cannot be parsed, and of misplaced ones."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

type WriteOutcome = Literal["ok", "not_written", "uncertain", "too_large"]
"""not_written and uncertain: Kafka did not acknowledge in time; too_large: nothing was sent."""

type Wrote = Callable[[str, WriteOutcome, int, float], None]
"""Topic (without its prefix), outcome, records, seconds."""


type Unparsable = Callable[[str], None]
"""Topic (without its prefix)."""
type Misplaced = Callable[[str], None]
"""Topic (without its prefix)."""


def ignore_topic(topic: str) -> None:
    pass


def ignore_write(topic: str, outcome: WriteOutcome, records: int, seconds: float) -> None:
    pass


@contextmanager
def observed(
    wrote: Wrote, topic: str, failures: dict[type[Exception], WriteOutcome], *, records: int = 1
) -> Iterator[None]:
    """Calls `wrote` with the outcome of the body. An error without an outcome in `failures` is not counted."""
    began = time.perf_counter()
    try:
        yield
    except tuple(failures) as problem:
        outcome = next(outcome for kind, outcome in failures.items() if isinstance(problem, kind))
        wrote(topic, outcome, records, time.perf_counter() - began)
        raise
    wrote(topic, "ok", records, time.perf_counter() - began)
