"""Records that are read again where they lie."""

from contextlib import aclosing

import pytest

from tarsy_bus.client.connection import Bus
from tarsy_bus.log.writer import LogWriter
from tarsy_bus.readers.at_offsets import RecordsGoneError, records_at
from tarsy_testing.servers.bus_kafka import delete_before, entries, make_topic


@pytest.fixture
async def log(bare: Bus) -> str:
    """A topic with ten records in partition 1."""
    await make_topic(bare, bare.topics.sessions, 3)
    async with LogWriter(bare).running() as writer:
        await writer.append(1, entries(*range(10)))
    return bare.topics.sessions


async def at(bus: Bus, topic: str, *offsets: int) -> list[int]:
    async with aclosing(records_at(bus, topic, 1, offsets)) as records:
        return [record.offset async for record in records]


@pytest.mark.parametrize("offsets", [(), (0,), (9,), (2, 3, 7), tuple(range(10))])
async def test_they_come_one_after_the_other_without_what_lies_between(
    bare: Bus, log: str, offsets: tuple[int, ...]
) -> None:
    assert await at(bare, log, *offsets) == list(offsets)


async def test_what_is_not_written_yet_is_gone_like_what_was_deleted(bare: Bus, log: str) -> None:
    await delete_before(bare, log, 1, 4)
    assert await at(bare, log, 4, 9) == [4, 9]
    for offsets in ((3,), (3, 9), (10,), (4, 10)):
        with pytest.raises(RecordsGoneError):
            await at(bare, log, *offsets)


async def test_whoever_has_enough_may_stop(bare: Bus, log: str) -> None:
    async with aclosing(records_at(bare, log, 1, (1, 5))) as records:
        assert (await anext(records)).offset == 1
