"""What an owner reads before it decides: heads to their end, and from there where the log has to be read from."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

import structlog

from tarsy_bus.acceptance import LogMismatch
from tarsy_bus.connection import Bus
from tarsy_bus.following import Record, read_to_end, readable
from tarsy_bus.heads import beginning, newest
from tarsy_contracts.heads import SessionHead, session_of_head_key
from tarsy_contracts.recorded import UnknownType, UnreadableValue

log = structlog.get_logger(__name__)

KINDS = {SessionHead.type: SessionHead}


async def read_heads(bus: Bus, partitions: Iterable[int]) -> dict[int, dict[str, SessionHead]]:
    """The newest head of every session, by partition."""
    found: dict[int, list[tuple[str, SessionHead]]] = defaultdict(list)

    def take(record: Record) -> None:
        if record.value is None:
            return
        delivery = readable(record)
        if delivery is None:
            return
        try:
            head = delivery.decode(KINDS)
        except (UnknownType, UnreadableValue) as problem:
            log.warning("head.unreadable", partition=record.partition, offset=record.offset, reason=str(problem))
            return
        found[record.partition].append((session_of_head_key((record.key or b"").decode()), head))

    wanted = list(partitions)
    await read_to_end(bus, bus.topics.heads, dict.fromkeys(wanted, 0), take)
    return {partition: newest(found[partition]) for partition in wanted}


def log_positions(heads: Mapping[int, Mapping[str, SessionHead]]) -> dict[int, int]:
    """Where to read the log of each partition from. Records below that may be deleted; none from there on."""
    return {partition: beginning(known) for partition, known in heads.items()}


async def check_last_events(bus: Bus, heads: Mapping[int, Mapping[str, SessionHead]]) -> None:
    """Raises LogMismatch when the last event that heads list does not lie where they say: it is never deleted."""
    last = {partition: max(known.values(), key=lambda head: head.offset) for partition, known in heads.items() if known}
    found: dict[int, str] = {}

    def take(record: Record) -> None:
        delivery = readable(record)
        if delivery is not None:
            found[record.partition] = delivery.envelope.id

    starts = {partition: head.offset for partition, head in last.items()}
    until = {partition: head.offset + 1 for partition, head in last.items()}
    await read_to_end(bus, bus.topics.sessions, starts, take, until=until)
    for partition, head in last.items():
        if found.get(partition) != head.event_id:
            raise LogMismatch(
                f"{bus.topics.sessions} partition {partition} should hold event {head.event_id} at offset "
                f"{head.offset}, but it does not: it was emptied, or it is another cluster's"
            )
