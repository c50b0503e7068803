"""Dead letters: records that could not be read, kept as they were, with their position and the reason."""

import structlog

from tarsy_bus.client.publisher import Publisher, TooLargeError, was_not_written
from tarsy_bus.client.record_parsing import UnparsableRecord
from tarsy_bus.readers.partition_reader import Record
from tarsy_bus.retries import retry
from tarsy_contracts.messages import dead_letters as d
from tarsy_contracts.wire.envelope import Headers
from tarsy_contracts.wire.header_numbers import read_number, read_time_ms
from tarsy_contracts.wire.topics import LIMIT_BYTES

log = structlog.get_logger(__name__)

CUT_BYTES = LIMIT_BYTES // 3
"""Bytes kept of the key, and of the value, of a record that is too large to be kept whole."""
MOST_ATTEMPTS = 1_000_000


def origin_of(record: Record) -> d.RedriveOrigin | None:
    """The origin of a record that was re-driven. None for any other, and for headers that cannot be ours.

    Strangers write such headers, too. A re-driven record lies after its origin, in the same partition. It can therefore
    not take the identity of a later record.
    """
    headers = dict(record.headers)
    if headers.get(d.ORIGIN_TOPIC) != record.topic.encode():
        return None
    partition, offset = read_number(headers.get(d.ORIGIN_PARTITION)), read_number(headers.get(d.ORIGIN_OFFSET))
    appended, attempt = read_time_ms(headers.get(d.ORIGIN_APPENDED)), read_number(headers.get(d.ORIGIN_ATTEMPT))
    if partition is None or offset is None or appended is None or attempt is None:
        return None
    if partition != record.partition or offset >= record.offset or not 0 < attempt < MOST_ATTEMPTS:
        return None
    cluster = (headers.get(d.ORIGIN_CLUSTER) or b"").decode(errors="replace")
    return d.RedriveOrigin(cluster, record.topic, partition, offset, appended, attempt)


def without_origin(headers: Headers) -> Headers:
    """The headers that a record had before it was re-driven."""
    return [(name, value) for name, value in headers if name not in d.ORIGIN_HEADERS]


async def dead_letter(publisher: Publisher, record: Record, reason: str) -> None:
    """Writes the raw bytes, the record's own headers, its position and the reason to the dead letters.

    A record that was re-driven, and fails again, keeps the position that it had first.

    Raises NotWrittenError: the caller must not go past the record then. A record at the size limit is cut, and says so:
    it loses its own headers, and the ends of key and value.
    """
    origin = origin_of(record)
    origin_headers = _origin_headers(publisher.service, record, origin, reason)
    own: Headers = [(name, value or b"") for name, value in record.headers]
    if origin is not None:
        own = without_origin(own)
    key, value = record.key, record.value
    if key is None and value is None:
        value = b""  # aiokafka writes no record without both
    try:
        await publisher.write(publisher.topics.dead_letters, key=key, value=value, headers=[*own, *origin_headers])
    except TooLargeError:
        headers = [*origin_headers, (d.CUT, b"true")]
        await publisher.write(publisher.topics.dead_letters, key=_shorten(key), value=_shorten(value), headers=headers)
    log.warning(
        "dead_letter.written", topic=record.topic, partition=record.partition, offset=record.offset, reason=reason
    )


async def dead_letter_until_written(publisher: Publisher, record: Record, reason: str) -> None:
    """Returns when it is written, however long Kafka is away: what follows goes past the record."""

    def failed(problem: Exception, pause: float) -> None:
        log.warning("dead_letter.not_written", reason=str(problem), pause_seconds=round(pause, 1))

    await retry(lambda: dead_letter(publisher, record, reason), passes=was_not_written, failed=failed)


def _origin_headers(service: str, record: Record, origin: d.RedriveOrigin | None, reason: str) -> Headers:
    """The topic comes first: whatever stands before the last of its kind is the record's own."""
    partition, offset, appended = record.partition, record.offset, record.timestamp
    if origin is not None:
        partition, offset, appended = origin.partition, origin.offset, origin.appended_ms
    attempt = 1 if origin is None else origin.attempt + 1
    return [
        (d.TOPIC, record.topic.encode()),
        (d.PARTITION, str(partition).encode()),
        (d.OFFSET, str(offset).encode()),
        (d.REASON, reason[:1000].encode(errors="replace")),
        (d.SERVICE, service.encode()),
        (d.APPENDED, str(appended).encode()),
        (d.ATTEMPT, str(attempt).encode()),
        *([(d.UNPARSABLE, b"true")] if isinstance(record, UnparsableRecord) else []),
    ]


def _shorten(part: bytes | None) -> bytes | None:
    return None if part is None else part[:CUT_BYTES]
