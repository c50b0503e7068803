"""Recovery from heads: which partitions have a log that their heads were written for, and which have not."""

from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack

from tarsy_bus.acceptance import LogMismatchError
from tarsy_bus.client.connection import Bus
from tarsy_bus.log.head_fit import find_misfits
from tarsy_bus.log.head_reading import read_heads
from tarsy_bus.log.head_store import HeadStore

type Refuse = Callable[[int, str], None]
"""Partition and sentence."""


async def read_fitting_heads(bus: Bus, partitions: Collection[int], refuse: Refuse) -> dict[int, HeadStore]:
    """The heads of the partitions that fit; the caller closes them. The others are refused. Raises KafkaError."""
    with ExitStack() as unused:
        heads = await _read_heads(bus, partitions, refuse)
        for store in heads.values():
            unused.callback(store.close)
        misfits = await find_misfits(bus, heads)
        unused.pop_all()
    for number, reason in misfits.items():
        heads.pop(number).close()
        refuse(number, reason)
    return heads


async def _read_heads(bus: Bus, partitions: Collection[int], refuse: Refuse) -> dict[int, HeadStore]:
    try:
        return await read_heads(bus, partitions)
    except LogMismatchError:
        # Records of one of them are damaged: each is read alone.
        return await _read_heads_one_by_one(bus, partitions, refuse)


async def _read_heads_one_by_one(bus: Bus, partitions: Collection[int], refuse: Refuse) -> dict[int, HeadStore]:
    found: dict[int, HeadStore] = {}
    with ExitStack() as unused:
        for number in partitions:
            try:
                heads = await read_heads(bus, [number])
            except LogMismatchError as problem:
                refuse(number, str(problem))
                continue
            unused.callback(heads[number].close)
            found |= heads
        unused.pop_all()
    return found


def describe_missing_openers(bus: Bus, number: int, missing: Sequence[str]) -> str | None:
    """`missing`: sessions that heads list as open, and whose opener the log lacks. None where there are none."""
    if not missing:
        return None
    return (
        f"{bus.topics.sessions} partition {number} should hold the openers of {len(missing)} open "
        f"sessions, such as {missing[0]}, but it does not: it was emptied, or it is another cluster's"
    )
