"""Dead letters: records that could not be read, kept as they were, with their position and the reason."""

import structlog

from tarsy_bus.partition_reader import Record
from tarsy_bus.publisher import Publisher, TooLargeError, not_written
from tarsy_bus.retries import retry
from tarsy_contracts.topics import LIMIT_BYTES

log = structlog.get_logger(__name__)

CUT_BYTES = LIMIT_BYTES // 3
"""Bytes kept of the key, and of the value, of a record that is too large to be kept whole."""


async def dead_letter(publisher: Publisher, record: Record, reason: str) -> None:
    """Writes the raw bytes, the record's own headers, its position and the reason to the dead letters.

    Raises NotWrittenError: the caller must not go past the record then. A record at the size limit is cut, and says so:
    it loses its own headers, and the ends of key and value.
    """
    place = [
        ("dead-letter-topic", record.topic.encode()),
        ("dead-letter-partition", str(record.partition).encode()),
        ("dead-letter-offset", str(record.offset).encode()),
        ("dead-letter-reason", reason[:1000].encode(errors="replace")),
    ]
    own = [(name, value or b"") for name, value in record.headers]
    key, value = record.key, record.value
    if key is None and value is None:
        value = b""  # aiokafka writes no record without both
    try:
        await publisher.write(publisher.topics.dead_letters, key=key, value=value, headers=[*own, *place])
    except TooLargeError:
        headers = [*place, ("dead-letter-cut", b"true")]
        await publisher.write(publisher.topics.dead_letters, key=_cut(key), value=_cut(value), headers=headers)
    log.warning(
        "dead_letter.written", topic=record.topic, partition=record.partition, offset=record.offset, reason=reason
    )


async def dead_letter_until_written(publisher: Publisher, record: Record, reason: str) -> None:
    """Returns when it is written, however long Kafka is away: what follows goes past the record."""

    def failed(problem: Exception, pause: float) -> None:
        log.warning("dead_letter.not_written", reason=str(problem), pause_seconds=round(pause, 1))

    await retry(lambda: dead_letter(publisher, record, reason), passes=not_written, failed=failed)


def _cut(part: bytes | None) -> bytes | None:
    return None if part is None else part[:CUT_BYTES]
