"""Announcements of life, as readers of their topic meet them."""

from datetime import datetime

from tarsy_bus.readers.partition_reader import Record
from tarsy_bus.readers.records import parse_record
from tarsy_contracts.events.recorded import UnknownTypeError, UnreadableValueError
from tarsy_contracts.messages.workers import WorkerAnnounced

KINDS = {WorkerAnnounced.type: WorkerAnnounced}
MOST_WORKERS = 10_000


class Announcements:
    """Announcements as one reader meets them, without copies of a good-bye.

    One would end a worker that has announced itself since. A copy of another announcement is harmless: a worker that is
    dead is missed some seconds later.
    """

    def __init__(self) -> None:
        self._last: dict[str, datetime] = {}

    def read(self, record: Record) -> WorkerAnnounced | None:
        """None when there is none in it that counts, or that this code can read."""
        delivery = parse_record(record)
        if delivery is None:
            return None
        try:
            announcement = delivery.decode(KINDS)
        except (UnknownTypeError, UnreadableValueError):
            return None
        if record.key != announcement.worker_id.encode() or self._is_late_copy(announcement, delivery.envelope.time):
            return None
        self._note_announcement(announcement.worker_id, delivery.envelope.time)
        return announcement

    def _is_late_copy(self, announcement: WorkerAnnounced, at: datetime) -> bool:
        """`at`: by its worker's clock. One that was put back costs a good-bye, and silence tells the same."""
        last = self._last.get(announcement.worker_id)
        return announcement.leaving and last is not None and at < last

    def _note_announcement(self, worker_id: str, at: datetime) -> None:
        """They are in the order in which they announced themselves last."""
        self._last.pop(worker_id, None)
        self._last[worker_id] = at
        if len(self._last) > MOST_WORKERS:
            del self._last[next(iter(self._last))]
