"""Reading a real Kafka without a group: once to an end, or on and on from known positions."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace

import pytest
from aiokafka.errors import KafkaConnectionError, KafkaError

from tarsy_bus.acceptance import LogMismatchError
from tarsy_bus.client import connection
from tarsy_bus.client.connection import Bus, batch_reader, quiet_reader
from tarsy_bus.client.whole_batches import WholeBatches
from tarsy_bus.log.writer import LogWriter
from tarsy_bus.readers.partition_reader import PartitionReader, Record, ends, read_to_end, records_to_end
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.bus_kafka import delete_before, entries, make_topic, read

NOWHERE = "127.0.0.1:1"


@pytest.fixture
async def log(bare: Bus) -> str:
    """A topic with ten records in partition 0, five in 1, none in 2."""
    await make_topic(bare, bare.topics.sessions, 3)
    async with LogWriter(bare).running() as writer:
        await writer.append(0, entries(*range(10)))
        await writer.append(1, entries(*range(5)))
    return bare.topics.sessions


@pytest.fixture
async def follower(bare: Bus) -> AsyncIterator[PartitionReader]:
    async with PartitionReader(bare, bare.topics.sessions).running() as follower:
        yield follower


def places(records: list[Record]) -> dict[int, list[int]]:
    """The offsets of each partition, in the order in which they came."""
    found: dict[int, list[int]] = {}
    for record in records:
        found.setdefault(record.partition, []).append(record.offset)
    return found


async def next_places(follower: PartitionReader) -> dict[int, list[int]]:
    return places(await eventually(follower.read, "records to follow"))


# Once to an end


async def test_the_ends_are_after_the_last_records(bare: Bus, log: str) -> None:
    assert await ends(bare, log, [0, 1, 2]) == {0: 10, 1: 5, 2: 0}


async def test_all_partitions_are_read_each_from_its_start_to_its_end_in_order(bare: Bus, log: str) -> None:
    found: list[Record] = []
    await read_to_end(bare, log, {0: 4, 1: 0, 2: 0}, found.append)
    assert places(found) == {0: [4, 5, 6, 7, 8, 9], 1: [0, 1, 2, 3, 4]}


async def test_reading_ends_before_until_also_when_that_lies_beyond_the_end(bare: Bus, log: str) -> None:
    found: list[Record] = []
    await read_to_end(bare, log, {0: 2, 1: 3, 2: 0}, found.append, until={0: 4, 1: 99, 2: 99})
    assert places(found) == {0: [2, 3], 1: [3, 4]}


async def test_nothing_is_read_of_no_partition_or_from_an_end(bare: Bus, log: str) -> None:
    found: list[Record] = []
    await read_to_end(bare, log, {}, found.append)
    await read_to_end(bare, log, {0: 10, 2: 0}, found.append)
    await read_to_end(bare, log, {0: 3}, found.append, until={0: 3})
    assert found == []


async def test_a_start_below_the_first_kept_record_begins_there(bare: Bus, log: str) -> None:
    await delete_before(bare, log, 0, 7)
    assert places(await read(bare, log, 0)) == {0: [7, 8, 9]}


async def test_a_partition_whose_records_are_all_deleted_is_at_its_end(bare: Bus, log: str) -> None:
    await delete_before(bare, log, 0, 10)
    assert await read(bare, log, 0) == []


async def test_of_whole_batches_none_is_left_out_that_begins_before_the_end(bare: Bus, log: str) -> None:
    """They come in pieces, and what was appended meanwhile may be in the same piece."""
    async with LogWriter(bare).running() as writer:
        for number in range(3):
            await writer.append(2, entries(number))
    reading = records_to_end(bare, log, {2: 0}, until={2: 1}, consumer=batch_reader)
    async with aclosing(reading) as found:
        read = [record async for records in found for record in records]
    keys = [one.key for piece in read if isinstance(piece, WholeBatches) for one in piece.records(0)]
    assert len(keys) == 1


async def test_what_is_appended_meanwhile_is_not_waited_for_and_not_read(bare: Bus, log: str) -> None:
    """The end is that of the beginning: else a busy partition would never be replayed."""
    appended = asyncio.Event()

    async def append_for_ever(writer: LogWriter) -> None:
        while True:
            await writer.append(0, entries(*range(100)))
            appended.set()

    async with LogWriter(bare).running() as writer:
        appending = asyncio.create_task(append_for_ever(writer))
        await appended.wait()
        before = (await ends(bare, log, [0]))[0]
        async with asyncio.timeout(90):
            found = await read(bare, log, 0)
            appended.clear()
            await appended.wait()
        after = (await ends(bare, log, [0]))[0]
        appending.cancel()
        await asyncio.wait([appending])
    assert before <= len(found) < after
    assert [record.offset for record in found] == list(range(len(found)))


# On and on


async def test_a_follower_begins_where_it_is_told_and_goes_on_with_what_comes(
    bare: Bus, log: str, follower: PartitionReader
) -> None:
    follower.assign({0: 8, 2: 0})
    assert await next_places(follower) == {0: [8, 9]}
    async with LogWriter(bare).running() as writer:
        await writer.append(2, entries("new"))
    assert await next_places(follower) == {2: [0]}


async def test_assigning_again_replaces_partitions_and_positions(log: str, follower: PartitionReader) -> None:
    """Also those of partitions that stay: aiokafka forgets them all."""
    follower.assign({0: 0, 1: 0})
    await eventually(follower.read, "records to follow")
    follower.assign({0: 7})
    assert await next_places(follower) == {0: [7, 8, 9]}
    assert await follower.read() == []
    follower.assign({0: 9, 1: 4})
    found = await next_places(follower)
    if len(found) < 2:
        found |= await next_places(follower)
    assert found == {0: [9], 1: [4]}


async def test_a_follower_of_nothing_reads_nothing(log: str, follower: PartitionReader) -> None:
    assert await follower.read() == []
    follower.assign({0: 0})
    await eventually(follower.read, "records to follow")
    follower.assign({})
    assert await follower.read() == []


async def test_the_first_record_is_the_first_that_is_kept(bare: Bus, log: str, follower: PartitionReader) -> None:
    assert await follower.firsts([0]) == {0: 0}
    await delete_before(bare, log, 0, 3)
    assert await follower.firsts([0]) == {0: 3}


async def test_positions_within_what_is_kept_are_right(bare: Bus, log: str, follower: PartitionReader) -> None:
    await delete_before(bare, log, 0, 3)
    await follower.check({0: 3, 1: 5, 2: 0})


@pytest.mark.parametrize("position", [2, 11])
async def test_a_position_outside_of_what_is_kept_is_refused_with_a_sentence(
    bare: Bus, log: str, follower: PartitionReader, position: int
) -> None:
    await delete_before(bare, log, 0, 3)
    with pytest.raises(LogMismatchError) as refused:
        await follower.check({1: 0, 0: position})
    assert str(refused.value) == (
        f"{log} partition 0 holds offsets 3 to 10, but reading should go on at {position}: "
        "it was emptied, or it is another cluster's"
    )


async def test_records_that_are_gone_are_never_jumped_over(bare: Bus, log: str, follower: PartitionReader) -> None:
    await delete_before(bare, log, 0, 3)
    follower.assign({0: 0})
    with pytest.raises(
        LogMismatchError, match=f"cannot go on in {log} partition 0 at 0: the records there were deleted"
    ):
        await eventually(follower.read, "the refusal")


async def test_a_position_beyond_the_end_is_never_waited_for(log: str, follower: PartitionReader) -> None:
    follower.assign({0: 99})
    with pytest.raises(LogMismatchError, match="partition 0 at 99: the records there were deleted"):
        await eventually(follower.read, "the refusal")


async def test_a_client_whose_own_task_has_died_is_an_error_not_silence(log: str, follower: PartitionReader) -> None:
    """It would return nothing for ever, and waiting does not mend it."""
    follower.assign({0: 0})
    await eventually(follower.next, "records to follow")
    fetching = follower.consumer._fetcher._fetch_task
    fetching.cancel()
    await asyncio.wait([fetching])
    with pytest.raises(KafkaError, match="has died"):
        await follower.next()


async def test_a_kafka_that_is_not_there_leaves_nothing_open(bare: Bus) -> None:
    """A consumer that was never stopped is a ResourceWarning, which fails a test."""
    nowhere = replace(bare, bootstrap=NOWHERE)
    with pytest.raises(KafkaConnectionError):
        await ends(nowhere, "topic", [0])
    with pytest.raises(KafkaConnectionError):
        await read_to_end(nowhere, "topic", {0: 0}, print)
    with pytest.raises(KafkaConnectionError):
        async with LogWriter(nowhere).running():
            pytest.fail("it runs")


async def test_a_new_assignment_does_not_wait_for_the_open_fetch_of_the_old_one(
    bare: Bus, log: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broker answers one request after the other, and keeps a fetch of a quiet partition for as long as we ask."""
    monkeypatch.setattr(connection, "QUIET_WAIT_MS", 600_000)
    monkeypatch.setattr(connection, "REQUEST_TIMEOUT_MS", 600_000)
    bus = replace(bare, client="reassigned")
    async with PartitionReader(bus, log, consumer=quiet_reader).running() as follower:
        follower.assign({2: 0})
        assert await follower.read() == []
        follower.assign({0: 0, 2: 0})
        assert await next_places(follower) == {0: list(range(10))}
