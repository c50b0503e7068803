"""Lines of libraries that come again and again: an outage of Kafka makes some hundred of them a second."""

import copy
import logging
from collections.abc import Callable
from dataclasses import dataclass

MOST_ALIKE, ALIKE_SECONDS = 5, 60.0
"""Limit of lines that are alike, and the seconds that it holds for. While more come than that, one in these seconds."""
MOST_KINDS = 500
"""Kinds of lines that are counted. A library that writes its values into the template makes a kind of each line."""


@dataclass(slots=True)
class AlikeLines:
    since: float
    most: int
    count: int = 1

    @property
    def left_out(self) -> int:
        return max(0, self.count - self.most)


class RepeatedLines(logging.Filter):
    """Leaves out lines of a library beyond MOST_ALIKE; the next one that is written says how many they were.

    Alike are lines of one logger with the same template. Our own lines come from structlog, and all of them stay.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        super().__init__()
        self._monotonic = monotonic
        self._kinds: dict[tuple[str, str], AlikeLines] = {}

    def filter(self, record: logging.LogRecord) -> bool | logging.LogRecord:
        if not isinstance(record.msg, str):
            return True
        now, kind = self._monotonic(), (record.name, record.msg)
        alike = self._kinds.get(kind)
        if alike is not None and now - alike.since < ALIKE_SECONDS:
            alike.count += 1
            return alike.count <= alike.most
        left_out = 0 if alike is None else alike.left_out
        goes_on = alike is not None and left_out > 0 and now - alike.since < 2 * ALIKE_SECONDS
        if len(self._kinds) >= MOST_KINDS:
            self._kinds.clear()
        self._kinds[kind] = AlikeLines(since=now, most=1 if goes_on else MOST_ALIKE)
        return _with_left_out(record, left_out) if left_out > 0 else True


def _with_left_out(record: logging.LogRecord, left_out: int) -> logging.LogRecord:
    """A copy, for other handlers see the same record. It is formatted later, where a failure of that is caught."""
    line = copy.copy(record)
    line.msg = f"{record.msg} ({left_out} more like this were left out)"
    return line
