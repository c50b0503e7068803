"""Recovery of a lost layout record: the number of partitions by which the sessions lie where they lie."""

from collections.abc import Collection, Mapping
from contextlib import aclosing

from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.partition_reader import PartitionReader, ends
from tarsy_contracts.events.heads import session_of_head_key
from tarsy_contracts.wire.partitioning import partition_of
from tarsy_contracts.wire.topics import LOG_PARTITIONS

RECORDS = 500
"""Heads of each partition that are asked: a wrong number agrees with half of them at most."""
AGREEING = 0.9
"""Strangers and zombies may have written where no session lies."""


async def find_possible_partition_counts(bus: Bus, counts: Collection[int]) -> list[int]:
    """Numbers of partitions that may have been on record; `counts` are those of inbox, log and heads as they are.

    If none of the likely ones fits, an operator chose another, and the topics have grown. Raises KafkaError.
    """
    lying, fewest = await _read_partitions_of_sessions(bus, min(counts)), min(counts)
    if not lying:
        default = {LOG_PARTITIONS} if await _holds_records(bus, fewest) else set[int]()
        return sorted(default | set(counts))
    likely = {number for number in (LOG_PARTITIONS, *counts) if number <= fewest}
    found = sorted(number for number in likely if _fits_partition_count(lying, number))
    return found or [number for number in range(1, fewest + 1) if _fits_partition_count(lying, number)]


def _fits_partition_count(lying: Mapping[str, int], number: int) -> bool:
    agreeing = sum(partition_of(session.encode(), number) == partition for session, partition in lying.items())
    return agreeing >= AGREEING * len(lying)


async def _holds_records(bus: Bus, partitions: int) -> bool:
    found = await ends(bus, bus.topics.sessions, list(range(partitions)))
    return any(found.values())


async def _read_partitions_of_sessions(bus: Bus, partitions: int) -> dict[str, int]:
    """By session: the oldest heads that each partition keeps. A head lies where its session lies in the log."""
    found: dict[str, int] = {}
    async with PartitionReader(bus, bus.topics.heads).running() as reader:
        firsts, behind = await reader.firsts(range(partitions)), await reader.ends(range(partitions))
        goals = {number: min(end, firsts[number] + RECORDS) for number, end in behind.items()}
        async with aclosing(reader.between(firsts, goals)) as reading:
            async for records in reading:
                for record in records:
                    session = session_of_head_key((record.key or b"").decode(errors="replace"))
                    found.setdefault(session, record.partition)
    return found
