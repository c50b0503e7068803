"""When inputs were read and decided, for the times of hops."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from tarsy_orchestrator.partition.decision_batch import PendingInput
from tarsy_service.telemetry.hop_metrics import HopTimes


def note_read(hops: HopTimes, waiting: PendingInput, at: datetime) -> PendingInput:
    """An input that was just read. `at`: when it had been written.

    Not for a recovery: what it reads has lain for as long as nobody was there.
    """
    hops.observe_since("report", at)
    return replace(waiting, read_at=hops.monotonic())


def note_decided(hops: HopTimes, ready: Iterable[PendingInput]) -> None:
    """These were decided: their events go to the log."""
    now = hops.monotonic()
    for one in ready:
        if one.read_at is not None:
            hops.observe("decide", now - one.read_at)
