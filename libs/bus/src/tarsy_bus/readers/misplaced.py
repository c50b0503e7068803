"""Misplaced records: those in a partition that is not their session's. Every reader of such a topic leaves them out.

No owner writes one; a copy, a restore or a tool does. It would tell of a session that its partition of the log lacks.
"""

import structlog

from tarsy_bus.client.connection import Bus
from tarsy_bus.metrics import Misplaced
from tarsy_bus.readers.partition_reader import Record

log = structlog.get_logger(__name__)

MOST_REMEMBERED = 1_000
MOST_LOGGED = 20


class MisplacedRecords:
    """Those of one partition that one reader has met, by key: a tombstone with the same key ends one."""

    def __init__(self, topic: str, partition: int, counted: Misplaced) -> None:
        """`topic` is the name without the prefix."""
        self._topic = topic
        self._partition = partition
        self._counted = counted
        self._keys: dict[str, None] = {}
        self._logged = 0

    @property
    def keys(self) -> tuple[str, ...]:
        """The first MOST_REMEMBERED."""
        return tuple(self._keys)

    def note(self, key: str) -> None:
        """Counts it, and logs it the first time."""
        self._counted(self._topic)
        if key in self._keys or len(self._keys) >= MOST_REMEMBERED:
            return
        self._keys[key] = None
        self._logged += 1
        if self._logged <= MOST_LOGGED:
            log.warning(
                "record.misplaced",
                topic=self._topic,
                partition=self._partition,
                key=key,
                further_ones_are_not_logged=self._logged == MOST_LOGGED,
            )

    def drop(self, key: str) -> None:
        self._keys.pop(key, None)


class SessionPartitions:
    """Whether records of a topic lie where their sessions do, for a reader of many partitions."""

    def __init__(self, bus: Bus, topic: str) -> None:
        self._bus = bus
        self._topic = bus.short(topic)
        self._misplaced: dict[int, MisplacedRecords] = {}

    def is_own(self, session_id: str, record: Record) -> bool:
        """A record that is not is counted, and logged once."""
        if self._bus.partition_of_session(session_id) == record.partition:
            return True
        met = self._misplaced.setdefault(
            record.partition, MisplacedRecords(self._topic, record.partition, self._bus.misplaced)
        )
        met.note((record.key or b"").decode(errors="replace"))
        return False
