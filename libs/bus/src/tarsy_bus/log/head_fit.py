"""Whether the session log is the one that its heads were written for."""

from collections.abc import Mapping

from tarsy_bus.client.connection import Bus
from tarsy_bus.log.head_store import HeadStore
from tarsy_bus.readers.partition_reader import PartitionReader, Record, read_to_end
from tarsy_bus.readers.records import parse_record


async def find_misfits(bus: Bus, heads: Mapping[int, HeadStore]) -> dict[int, str]:
    """Returns a sentence per partition whose log lacks something. Raises KafkaError.

    The log has every offset from which a reader of these heads starts, and the last event that they list. Records are
    deleted only below both.
    """
    positions = {number: store.beginning for number, store in heads.items()}
    # A connection of its own: on one that fetches, a question waits half a second behind the long poll.
    async with PartitionReader(bus, bus.topics.sessions).running() as asking:
        found = await asking.misfits(positions)
    return found | await _find_heads_without_event(
        bus, {number: heads[number] for number in heads.keys() - found.keys()}
    )


async def _find_heads_without_event(bus: Bus, heads: Mapping[int, HeadStore]) -> dict[int, str]:
    last = {partition: store.last for partition, store in heads.items() if store.last is not None}
    found: dict[int, str] = {}

    def take(record: Record) -> None:
        delivery = parse_record(record)
        if delivery is not None:
            found[record.partition] = delivery.envelope.id

    starts = {partition: head.offset for partition, head in last.items()}
    until = {partition: head.offset + 1 for partition, head in last.items()}
    await read_to_end(bus, bus.topics.sessions, starts, take, until=until)
    return {
        partition: f"{bus.topics.sessions} partition {partition} should hold event {head.event_id} at offset "
        f"{head.offset}, but it does not: it was emptied, or it is another cluster's"
        for partition, head in last.items()
        if found.get(partition) != head.event_id
    }
