"""Publishing on a real Kafka: what lies on the wire, and what a writer is told when it does not."""

import asyncio
import gc
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tarsy_bus.client import client_lifecycle, publisher
from tarsy_bus.client.connection import ENVELOPE_BYTES, Bus
from tarsy_bus.client.publisher import Addressed, NotWrittenError, Publisher, TooLargeError
from tarsy_contracts.messages.control import CallCancelled
from tarsy_contracts.wire.partitioning import partition_of
from tarsy_contracts.wire.topics import LIMIT_BYTES
from tarsy_testing.servers.bus_kafka import TINY, Door, delete_topic, make_ours, make_topic, read, read_all

NOW = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)
MESSAGE = CallCancelled(call_id="c")
BIG = b"x" * 2000


def writing(bus: Bus) -> Publisher:
    return Publisher(bus, source="tester", now=lambda: NOW)


@pytest.fixture
async def writer(bare: Bus) -> AsyncIterator[Publisher]:
    async with writing(bare).running() as running:
        yield running


async def test_a_message_lies_on_the_wire_as_a_cloud_event(bare: Bus, writer: Publisher) -> None:
    await make_topic(bare, bare.topics.control, 2)
    place = await writer.publish(
        bare.topics.control, MESSAGE, key="k", id="1", subject="s", partition=1, traceparent="00-a-b-01"
    )
    assert (place.topic, place.partition, place.offset) == (bare.topics.control, 1, 0)
    (record,) = await read(bare, bare.topics.control, 1)
    assert (record.key, record.value) == (b"k", b'{"call_id":"c"}')
    assert dict(record.headers) == {
        "ce_specversion": b"1.0",
        "ce_id": b"1",
        "ce_type": b"call.cancelled",
        "ce_source": b"tester",
        "ce_subject": b"s",
        "ce_time": b"2026-11-22T03:00:00.000Z",
        "ce_dataschema": b"urn:tarsy:call.cancelled:1",
        "content-type": b"application/json",
        "traceparent": b"00-a-b-01",
    }


async def test_records_with_one_key_meet_in_one_partition(bare: Bus, writer: Publisher) -> None:
    await make_topic(bare, bare.topics.inbox, 12)
    for key in ("session-a", "session-b", "session-c"):
        places = [await writer.publish(bare.topics.inbox, MESSAGE, key=key, id="1", subject="s") for _ in range(3)]
        assert len({place.partition for place in places}) == 1


async def test_a_topic_that_somebody_grew_takes_a_key_where_it_lay_before(bare: Bus, writer: Publisher) -> None:
    await make_topic(bare, bare.topics.inbox, 48)
    await make_topic(bare, bare.topics.control, 7)
    for number in range(20):
        key = f"session-{number}"
        for topic, partitions in ((bare.topics.inbox, 12), (bare.topics.control, 4)):
            place = await writer.publish(topic, MESSAGE, key=key, id="1", subject="s")
            assert place.partition == partition_of(key.encode(), partitions)


async def test_a_topic_that_was_made_anew_with_too_few_partitions_is_not_written(bare: Bus, writer: Publisher) -> None:
    await make_topic(bare, bare.topics.inbox, 1)
    key = next(key for key in (b"1", b"2", b"3", b"4") if partition_of(key, 12) > 0)
    with pytest.raises(NotWrittenError, match=f"{bare.topics.inbox} has no partition"):
        await writer.write(bare.topics.inbox, key=key, value=b"v", headers=[])


async def test_a_tombstone_is_a_record_without_a_value(bare: Bus, writer: Publisher) -> None:
    await make_ours(bare, bare.topics.heads)
    await writer.write(bare.topics.heads, key=b"k", value=None, headers=[])
    (record,) = await read_all(bare, bare.topics.heads)
    assert (record.key, record.value, list(record.headers)) == (b"k", None, [])


FAR_TOO_MUCH = b"x" * (LIMIT_BYTES - ENVELOPE_BYTES)


@pytest.mark.parametrize(
    ("key", "value", "headers"),
    [
        (b"k", FAR_TOO_MUCH, []),
        (FAR_TOO_MUCH, b"v", []),
        (b"k", b"v", [("h", FAR_TOO_MUCH)]),
        (b"k", b"v", [("h", b"1")] * (LIMIT_BYTES // 4)),
        (b"k", b"v", [("€" * (LIMIT_BYTES // 3), b"")]),
    ],
    ids=["by its value", "by its key", "by a header", "by the number of its headers", "by the name of a header"],
)
async def test_a_record_that_is_too_large_is_refused(
    writer: Publisher, key: bytes, value: bytes, headers: list[tuple[str, bytes]]
) -> None:
    """Whatever makes it large: what Kafka refuses is repeated for ever by whoever waits for better times."""
    with pytest.raises(TooLargeError, match=f"a record of .* bytes for topic is above the limit of {LIMIT_BYTES}"):
        await writer.write("topic", key=key, value=value, headers=headers)


async def test_a_record_at_the_limit_is_written(bare: Bus, writer: Publisher) -> None:
    await make_ours(bare, bare.topics.results)
    value = FAR_TOO_MUCH[:-100]
    await writer.write(bare.topics.results, key=b"k", value=value, headers=[])
    (record,) = await read_all(bare, bare.topics.results)
    assert record.value == value


async def test_a_topic_that_is_not_there_is_not_written(
    bare: Bus, writer: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publisher, "WRITE_SECONDS", 0.5)
    with pytest.raises(NotWrittenError, match=rf"^{bare.topics.inbox}: "):
        await writer.publish(bare.topics.inbox, MESSAGE, key="k", id="1", subject="s")


async def test_messages_that_are_written_together_lie_in_order_in_the_partitions_of_their_keys(
    bare: Bus, writer: Publisher
) -> None:
    await make_topic(bare, bare.topics.inbox, 12)
    messages = [
        Addressed(CallCancelled(call_id=f"{key}{round}"), key, str(round)) for round in range(20) for key in "abc"
    ]
    written = [await writer.begin_batches(bare.topics.inbox, messages[begin : begin + 15]) for begin in (0, 15, 30, 45)]
    assert [await one for one in written] == [[]] * 4
    for key in "abc":
        records = await read(bare, bare.topics.inbox, partition_of(key.encode(), 12))
        mine = [record.value for record in records if record.key == key.encode()]
        assert mine == [f'{{"call_id":"{key}{round}"}}'.encode() for round in range(20)]


async def test_of_messages_that_are_written_together_one_that_is_too_large_is_refused_alone(
    bare: Bus, writer: Publisher
) -> None:
    await make_topic(bare, bare.topics.inbox, 12)
    texts = ["first", "x" * LIMIT_BYTES, *["y" * (LIMIT_BYTES // 2)] * 3, "last"]
    messages = [Addressed(CallCancelled(call_id=text), "a", "1") for text in texts]
    problems = await (await writer.begin_batches(bare.topics.inbox, messages))
    assert [type(one) for one in problems] == [TooLargeError]
    records = await read(bare, bare.topics.inbox, partition_of(b"a", 12))
    assert len(records) == 5


async def test_messages_for_a_topic_that_is_not_there_are_not_written(
    bare: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publisher, "WRITE_SECONDS", 1.0)
    async with writing(bare).running() as writer:
        problems = await (await writer.begin_batches(bare.topics.summaries, [Addressed(MESSAGE, "a", "1")]))
    assert [type(one) for one in problems] == [NotWrittenError]


async def test_what_is_not_acknowledged_in_time_is_not_written_and_others_are(
    bare: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_lifecycle, "STOP_SECONDS", 0.5)
    await make_ours(bare, bare.topics.inbox, bare.topics.control)
    before = asyncio.all_tasks()
    async with writing(bare).running() as writer:
        await writer.write(bare.topics.inbox, key=b"k", value=b"v", headers=[])
        await delete_topic(bare, bare.topics.inbox)
        with monkeypatch.context() as hurried:
            hurried.setattr(publisher, "WRITE_SECONDS", 0.5)
            with pytest.raises(NotWrittenError, match="TimeoutError"):
                await writer.write(bare.topics.inbox, key=b"k", value=b"v", headers=[])
        place = await writer.write(bare.topics.control, key=b"k", value=b"v", headers=[])
        assert place.offset == 0
    assert asyncio.all_tasks() <= before


async def test_a_producer_whose_own_task_has_died_is_replaced(
    bare: Bus, writer: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes records and never writes one: without a new one the process would never write again."""
    monkeypatch.setattr(client_lifecycle, "STOP_SECONDS", 0.5)
    errors: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: errors.append(str(context)))
    await make_topic(bare, bare.topics.control)
    await writer.write(bare.topics.control, key=b"k", value=b"before", headers=[])
    sending = writer._producing.current._sender.sender_task
    sending.cancel()
    await asyncio.wait([sending])
    with monkeypatch.context() as hurried:
        hurried.setattr(publisher, "WRITE_SECONDS", 0.5)
        with pytest.raises(NotWrittenError):
            await writer.write(bare.topics.control, key=b"k", value=b"lost", headers=[])
    place = await writer.write(bare.topics.control, key=b"k", value=b"after", headers=[])
    assert place.offset == 1
    gc.collect()
    assert errors == [], "asyncio has found a failure that nobody looked at"


async def test_a_record_that_aiokafka_gives_up_is_not_written_and_the_writer_lives(
    bare: Bus, writer: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its CancelledError is not one of whoever writes: the task of that would end without a word."""
    await make_topic(bare, bare.topics.control)

    async def gives_up(*args: object, **options: object) -> object:
        own = asyncio.get_running_loop().create_future()
        own.cancel()
        return await own

    with monkeypatch.context() as patch:
        patch.setattr(writer._producing.current, "send_and_wait", gives_up)
        with pytest.raises(NotWrittenError, match="gave the record up"):
            await writer.write(bare.topics.control, key=b"k", value=b"v", headers=[])
    assert (await writer.write(bare.topics.control, key=b"k", value=b"v", headers=[])).offset == 0


async def test_after_a_refusal_of_the_broker_the_very_next_write_works(bare: Bus, writer: Publisher) -> None:
    """Such a refusal ruins an idempotent producer: whoever wrote next would pay for it."""
    await make_topic(bare, bare.topics.control, config=TINY)
    await writer.write(bare.topics.control, key=b"k", value=b"before", headers=[])
    with pytest.raises(NotWrittenError, match="MessageSizeTooLarge"):
        await writer.write(bare.topics.control, key=b"k", value=BIG, headers=[])
    place = await writer.write(bare.topics.control, key=b"k", value=b"after", headers=[])
    assert place.offset == 1


async def test_a_refusal_is_not_written_also_when_kafka_cannot_be_reached_for_a_new_producer(
    bare: Bus, door: Door
) -> None:
    await make_topic(bare, bare.topics.control, config=TINY)
    async with writing(replace(bare, bootstrap=door.address)).running() as writer:
        await writer.write(bare.topics.control, key=b"k", value=b"before", headers=[])
        await door.shut()
        with pytest.raises(NotWrittenError, match="MessageSizeTooLarge"):
            await writer.write(bare.topics.control, key=b"k", value=BIG, headers=[])
        with pytest.raises(NotWrittenError, match="OutOfOrderSequence"):
            await writer.write(bare.topics.control, key=b"k", value=b"lost its place", headers=[])
        await door.open()
        with pytest.raises(NotWrittenError):
            await writer.write(bare.topics.control, key=b"k", value=b"replaces it", headers=[])
        place = await writer.write(bare.topics.control, key=b"k", value=b"works", headers=[])
    assert place.offset == 1


async def test_a_publisher_is_used_only_while_it_runs(bare: Bus) -> None:
    with pytest.raises(RuntimeError, match=r"outside of running\(\)"):
        await writing(bare).write("topic", key=b"k", value=b"v", headers=[])
