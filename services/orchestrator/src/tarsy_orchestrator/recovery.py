"""What an owner reads before it decides: heads to their end, and from there where the log has to be read from."""

from collections import defaultdict
from collections.abc import Iterable

import structlog

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


def log_positions(heads: dict[int, dict[str, SessionHead]], first: dict[int, int]) -> dict[int, int]:
    """Where to read the log of each partition from. `first`: the first offset that is kept, where no head says more."""
    return {partition: max(beginning(known), first[partition]) for partition, known in heads.items()}
