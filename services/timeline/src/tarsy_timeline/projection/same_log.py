"""Check that a log is still the one that was projected: its events lie where the tables have read them.

An offset alone says little: a log that was restored from an older copy, and went on, has other events there.
"""

from collections.abc import Mapping
from contextlib import aclosing

from tarsy_bus.acceptance import LogMismatchError
from tarsy_bus.readers.partition_reader import PartitionReader, Record
from tarsy_bus.readers.records import parse_record
from tarsy_timeline.database.postgres_text import to_index_text
from tarsy_timeline.projection.checkpoint import LastRecord


async def check_same_log(follower: PartitionReader, topic: str, last_records: Mapping[int, LastRecord]) -> None:
    """The log holds offsets up to these records. Records that were deleted since prove nothing.

    Raises LogMismatchError.
    """
    firsts = await follower.firsts(last_records)
    kept = {number: last.offset for number, last in last_records.items() if last.offset >= firsts[number]}
    goals = {number: offset + 1 for number, offset in kept.items()}
    async with aclosing(follower.between(kept, goals)) as found:
        async for records in found:
            for record in records:
                _require_same_event(record, topic, last_records[record.partition])


def _require_same_event(record: Record, topic: str, last: LastRecord) -> None:
    delivery = parse_record(record)
    if delivery is None or to_index_text(delivery.envelope.id) != last.event_id:
        raise LogMismatchError(
            f"{topic} partition {record.partition} has another event at offset {last.offset} than the one that these "
            "tables were projected from: it was restored from an older copy, and went on. Project it into a fresh "
            "schema (TARSY_DATABASE_SCHEMA)"
        )
