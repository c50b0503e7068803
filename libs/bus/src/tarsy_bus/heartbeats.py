"""Announcements of life, as readers of their topic meet them."""

from tarsy_bus.partition_reader import Record, parse_record
from tarsy_contracts.recorded import UnknownTypeError, UnreadableValueError
from tarsy_contracts.workers import WorkerAnnounced

KINDS = {WorkerAnnounced.type: WorkerAnnounced}


def announcement_in(record: Record) -> WorkerAnnounced | None:
    """None when there is none in it that this code can read."""
    delivery = parse_record(record)
    if delivery is None:
        return None
    try:
        return delivery.decode(KINDS)
    except (UnknownTypeError, UnreadableValueError):
        return None
