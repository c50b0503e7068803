"""Dead letters as they lie in Kafka: one burial of a record, or the marker of a re-drive."""

from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from tarsy_bus.client.record_parsing import UnparsableRecord
from tarsy_bus.readers.partition_reader import Record
from tarsy_bus.readers.records import delivery
from tarsy_contracts.events.recorded import UnknownTypeError, UnreadableValueError
from tarsy_contracts.messages import dead_letters as d
from tarsy_contracts.wire.envelope import EnvelopeError, Headers
from tarsy_contracts.wire.header_numbers import read_number, read_time_ms
from tarsy_contracts.wire.ids import dead_letter_id

log = structlog.get_logger(__name__)

MARKERS = {d.DeadLetterRedriven.type: d.DeadLetterRedriven}
UNKNOWN = "?"
NO_REASON = "no reason is told"


@dataclass(frozen=True, slots=True)
class Burial:
    """`topic`, `source_partition` and `source_offset` say where the record was met first; `partition` and `offset`
    where it lies among the dead letters. Times are the broker's, in milliseconds. `size`: bytes of the value.

    Letters of before have no `service`, no `appended_ms`, and are the first attempt.
    """

    topic: str
    source_partition: int
    source_offset: int
    partition: int
    offset: int
    buried_ms: int
    reason: str
    size: int
    service: str = ""
    appended_ms: int | None = None
    attempt: int = 1
    cut: bool = False
    unparsable: bool = False

    def id(self, cluster: str) -> str:
        return dead_letter_id(
            cluster=cluster, topic=self.topic, partition=self.source_partition, offset=self.source_offset
        )

    def origin(self, cluster: str, attempt: int) -> d.RedriveOrigin:
        appended = self.buried_ms if self.appended_ms is None else self.appended_ms
        return d.RedriveOrigin(cluster, self.topic, self.source_partition, self.source_offset, appended, attempt)


@dataclass(frozen=True, slots=True)
class Redrive:
    """A letter was re-driven; `at_ms`: when that was noted."""

    marker: d.DeadLetterRedriven
    at_ms: int


def split_headers(headers: Sequence[tuple[str, bytes | None]]) -> tuple[Headers, dict[str, bytes]]:
    """The headers that the record had, and ours. None of ours: it is no dead letter.

    A stranger may have written headers with our names. Ours are the last ones.
    """
    begins = max((index for index, (name, _) in enumerate(headers) if name == d.TOPIC), default=len(headers))
    own: Headers = [(name, value or b"") for name, value in headers[:begins]]
    return own, {name: value or b"" for name, value in headers[begins:]}


def parse_dead_letter(record: Record) -> Burial | Redrive | None:
    """None (and a line in the log) for what is neither."""
    if isinstance(record, UnparsableRecord):
        return _log_and_skip(record, record.problem)
    own, ours = split_headers(record.headers)
    if ours:
        return _parse_burial(record, ours)
    if not own:
        return _log_and_skip(record, "it has no headers")
    try:
        return Redrive(delivery(record).decode(MARKERS), record.timestamp)
    except (EnvelopeError, UnknownTypeError, UnreadableValueError) as problem:
        return _log_and_skip(record, str(problem))


def _parse_burial(record: Record, ours: dict[str, bytes]) -> Burial:
    def text(name: str, otherwise: str) -> str:
        return ours[name].decode(errors="replace") if name in ours else otherwise

    return Burial(
        topic=text(d.TOPIC, UNKNOWN),
        source_partition=read_number(ours.get(d.PARTITION)) or 0,
        source_offset=read_number(ours.get(d.OFFSET)) or 0,
        partition=record.partition,
        offset=record.offset,
        buried_ms=record.timestamp,
        reason=text(d.REASON, NO_REASON),
        size=len(record.value or b""),
        service=text(d.SERVICE, ""),
        appended_ms=read_time_ms(ours.get(d.APPENDED)),
        attempt=read_number(ours.get(d.ATTEMPT)) or 1,
        cut=d.CUT in ours,
        unparsable=d.UNPARSABLE in ours,
    )


def _log_and_skip(record: Record, reason: str) -> Burial | None:
    log.warning("dead_letter.unreadable", partition=record.partition, offset=record.offset, reason=reason)
    return None
