"""What could not be read is kept, as it was, with its place and the reason."""

import structlog

from tarsy_bus.following import Record
from tarsy_bus.publisher import NotWritten, Publisher, TooLarge

log = structlog.get_logger(__name__)


async def bury(publisher: Publisher, record: Record, reason: str) -> None:
    """Writes the raw bytes, the record's own headers, its position and the reason to the dead letters.

    Raises NotWritten: the caller must not go past the record then. A record at the size limit is cut, and says so.
    """
    place = [
        ("dead-letter-topic", record.topic.encode()),
        ("dead-letter-partition", str(record.partition).encode()),
        ("dead-letter-offset", str(record.offset).encode()),
        ("dead-letter-reason", reason[:1000].encode()),
    ]
    own = [(name, value or b"") for name, value in record.headers]
    try:
        await publisher.write(publisher.topics.dead_letters, key=record.key, value=record.value, headers=[*own, *place])
    except TooLarge:
        half = (record.value or b"")[: len(record.value or b"") // 2]
        cut = [*place, ("dead-letter-cut", b"true")]
        await publisher.write(publisher.topics.dead_letters, key=record.key, value=half, headers=cut)
    log.warning(
        "dead_letter.written", topic=record.topic, partition=record.partition, offset=record.offset, reason=reason
    )


__all__ = ["NotWritten", "bury"]
