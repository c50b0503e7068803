"""Reading of the dead letters, as they lie in Kafka."""

import base64

from pydantic import BaseModel, ConfigDict

from tarsy_bus.connection import Bus
from tarsy_bus.partition_reader import Record, ends, read_to_end

PREFIX = "dead-letter-"


class DeadLetter(BaseModel):
    """`topic`, `partition` and `offset` say where the record was met, `position` where it lies among the dead letters.

    Key and value are base64, with `raw` only: nothing in them was masked.
    """

    model_config = ConfigDict(frozen=True)

    position: str
    written_at_ms: int
    topic: str
    partition: str
    offset: str
    reason: str
    cut: bool
    size: int
    key: str | None = None
    value: str | None = None
    headers: dict[str, str] | None = None


async def read_last(bus: Bus, most: int, *, raw: bool) -> list[DeadLetter]:
    """The last ones of all partitions together, in the order in which they were written. Raises KafkaError."""
    topic = bus.topics.dead_letters
    goals = await ends(bus, topic)
    records: list[Record] = []
    starts = {partition: max(0, end - most) for partition, end in goals.items() if end > 0}
    await read_to_end(bus, topic, starts, records.append, until=goals)
    last = sorted(records, key=lambda record: (record.timestamp, record.partition, record.offset))[-most:]
    return [_letter(record, raw=raw) for record in last]


def _letter(record: Record, *, raw: bool) -> DeadLetter:
    headers = {name: (value or b"").decode(errors="replace") for name, value in record.headers}
    letter = DeadLetter(
        position=f"{record.partition}:{record.offset}",
        written_at_ms=record.timestamp,
        topic=headers.get(f"{PREFIX}topic", "?"),
        partition=headers.get(f"{PREFIX}partition", "?"),
        offset=headers.get(f"{PREFIX}offset", "?"),
        reason=headers.get(f"{PREFIX}reason", "no reason is told"),
        cut=f"{PREFIX}cut" in headers,
        size=len(record.value or b""),
    )
    if not raw:
        return letter
    own = {name: value for name, value in headers.items() if not name.startswith(PREFIX)}
    return letter.model_copy(update={"key": _base64(record.key), "value": _base64(record.value), "headers": own})


def _base64(part: bytes | None) -> str | None:
    return None if part is None else base64.b64encode(part).decode()
