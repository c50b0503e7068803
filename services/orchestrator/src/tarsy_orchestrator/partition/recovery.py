"""Recovery from heads: where to read the log from, and whether it is the log that they were written for."""

from collections.abc import Mapping, Sequence

from tarsy_bus.acceptance import LogMismatchError
from tarsy_bus.connection import Bus
from tarsy_bus.head_store import HeadStore
from tarsy_bus.partition_reader import Record, parse_record, read_to_end


def log_positions(heads: Mapping[int, HeadStore]) -> dict[int, int]:
    """Returns where to read the log of each partition from. Records below that may be deleted; none from there on."""
    return {partition: store.beginning for partition, store in heads.items()}


async def check_last_events(bus: Bus, heads: Mapping[int, HeadStore]) -> None:
    """Raises LogMismatchError when the last event that heads list does not lie where they say: it is never deleted."""
    last = {partition: store.last for partition, store in heads.items() if store.last is not None}
    found: dict[int, str] = {}

    def take(record: Record) -> None:
        delivery = parse_record(record)
        if delivery is not None:
            found[record.partition] = delivery.envelope.id

    starts = {partition: head.offset for partition, head in last.items()}
    until = {partition: head.offset + 1 for partition, head in last.items()}
    await read_to_end(bus, bus.topics.sessions, starts, take, until=until)
    for partition, head in last.items():
        if found.get(partition) != head.event_id:
            raise LogMismatchError(
                f"{bus.topics.sessions} partition {partition} should hold event {head.event_id} at offset "
                f"{head.offset}, but it does not: it was emptied, or it is another cluster's"
            )


def check_openers(bus: Bus, number: int, missing: Sequence[str]) -> None:
    """`missing`: sessions that heads list as open, and whose opener the log does not hold. Raises LogMismatchError."""
    if missing:
        raise LogMismatchError(
            f"{bus.topics.sessions} partition {number} should hold the openers of {len(missing)} open "
            f"sessions, such as {missing[0]}, but it does not: it was emptied, or it is another cluster's"
        )
