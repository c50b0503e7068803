"""Dead letters: the headers around a record that could not be read, and the marker of its re-drive.

A dead letter is the record itself, key, value and headers, and ours after its own. A record of `tarsy.dead-letters`
without them is a marker.
"""

from dataclasses import dataclass
from typing import ClassVar

from tarsy_contracts.wire.envelope import Headers
from tarsy_contracts.wire.message import Message
from tarsy_contracts.wire.numbers import Count, Index

TOPIC = "dead-letter-topic"
PARTITION = "dead-letter-partition"
OFFSET = "dead-letter-offset"
REASON = "dead-letter-reason"
SERVICE = "dead-letter-service"
APPENDED = "dead-letter-appended"
ATTEMPT = "dead-letter-attempt"
CUT = "dead-letter-cut"
UNPARSABLE = "dead-letter-unparsable"

ORIGIN_CLUSTER = "redrive-cluster"
ORIGIN_TOPIC = "redrive-topic"
ORIGIN_PARTITION = "redrive-partition"
ORIGIN_OFFSET = "redrive-offset"
ORIGIN_APPENDED = "redrive-appended"
ORIGIN_ATTEMPT = "redrive-attempt"
ORIGIN_HEADERS = frozenset(
    {ORIGIN_CLUSTER, ORIGIN_TOPIC, ORIGIN_PARTITION, ORIGIN_OFFSET, ORIGIN_APPENDED, ORIGIN_ATTEMPT}
)


class DeadLetterRedriven(Message):
    """A dead letter was written back to where it came from. Appended after that, so that none is marked by mistake.

    `attempt`: which burial of the letter was re-driven. The place is that of the new record.
    """

    type: ClassVar[str] = "dead_letter.redriven"
    letter_id: str
    attempt: Index
    author: str
    topic: str
    partition: Index
    offset: Count


@dataclass(frozen=True, slots=True)
class RedriveOrigin:
    """Where a re-driven record lay first and since when (the broker's milliseconds), and how often it was buried."""

    cluster: str
    topic: str
    partition: int
    offset: int
    appended_ms: int
    attempt: int

    def headers(self) -> Headers:
        return [
            (ORIGIN_CLUSTER, self.cluster.encode()),
            (ORIGIN_TOPIC, self.topic.encode()),
            (ORIGIN_PARTITION, str(self.partition).encode()),
            (ORIGIN_OFFSET, str(self.offset).encode()),
            (ORIGIN_APPENDED, str(self.appended_ms).encode()),
            (ORIGIN_ATTEMPT, str(self.attempt).encode()),
        ]
