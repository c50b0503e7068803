"""Requests out of a queue, and what the owners tell, on a real Kafka."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
from aiokafka import AIOKafkaConsumer, TopicPartition

from tarsy_bus.background_tasks import background_tasks
from tarsy_bus.client.client_lifecycle import start_client, stop_client
from tarsy_bus.client.connection import Bus, member
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.client.tolerant_consumer import PositionLostError
from tarsy_bus.queues.start_positions import AssignedPartitions
from tarsy_bus.queues.work_queue import consume
from tarsy_bus.readers.controls import follow_control
from tarsy_contracts.messages.control import CallCancelled, ClaimGranted, Control
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.bus_kafka import add_partitions, delete_before, make_ours, make_topic, read_all
from tarsy_testing.servers.foreign_batches import with_a_broken_name, write_batch

NOW = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)


@pytest.fixture
async def publisher(bare: Bus) -> AsyncIterator[Publisher]:
    await make_topic(bare, bare.topics.tool_calls)
    await make_ours(bare, bare.topics.control, bare.topics.dead_letters)
    async with Publisher(bare, source="test", now=lambda: NOW).running() as running:
        yield running


def request(call_id: str) -> ToolCallRequest:
    return ToolCallRequest(
        session_id="s",
        call_id=call_id,
        server="kubernetes",
        tool="pods_list",
        arguments={},
        repeatable=True,
        timeout_seconds=60,
        not_after=NOW,
    )


class Worker:
    """Takes requests until it has seen the last one."""

    def __init__(self, bus: Bus, publisher: Publisher) -> None:
        self._bus, self._publisher = bus, publisher
        self.taken: list[str] = []

    async def take_until(self, last: str) -> list[str]:
        """What it took, in order. The block ends in the midst of reading on, as a service does."""
        seen = asyncio.Event()

        async def handler(taken: ToolCallRequest) -> None:
            assert taken.not_after >= NOW, "as the worker compares it with its clock"
            self.taken.append(taken.call_id)
            if taken.call_id == last:
                seen.set()

        taking = consume(
            self._bus,
            self._publisher,
            topic=self._bus.topics.tool_calls,
            group=f"{self._bus.topics.prefix}-workers",
            kind=ToolCallRequest,
            handler=handler,
        )
        async with asyncio.timeout(90), background_tasks(taking):
            await seen.wait()
        return self.taken

    async def until_it_takes(self, first: ToolCallRequest) -> None:
        """Publishes a request, and waits until it is taken by whoever takes meanwhile."""
        queue = self._bus.topics.tool_calls
        await self._publisher.publish(queue, first, key="k", id="1", subject="s", partition=0)

        async def began() -> list[str]:
            return self.taken

        await eventually(began, "the first request is taken")


async def test_requests_are_handed_over_in_order_and_what_cannot_be_read_is_buried(
    bare: Bus, publisher: Publisher
) -> None:
    queue = bare.topics.tool_calls
    await publisher.publish(queue, request("1"), key="1", id="1", subject="s", partition=0)
    await publisher.write(queue, key=b"2", value=b"rubbish", headers=[], partition=0)
    await publisher.publish(queue, CallCancelled(call_id="c"), key="3", id="3", subject="s", partition=0)
    await publisher.publish(queue, request("4"), key="4", id="4", subject="s", partition=0)
    assert await Worker(bare, publisher).take_until("4") == ["1", "4"]
    reasons = [dict(letter.headers)["dead-letter-reason"] for letter in await read_all(bare, bare.topics.dead_letters)]
    assert sorted(reasons) == [b"call.cancelled version 1", b"header ce_specversion is missing"]


async def test_a_request_whose_time_has_no_zone_is_buried_and_the_next_request_is_taken(
    bare: Bus, publisher: Publisher
) -> None:
    """It compares with no clock: each worker of the group ended at it, one after the other."""
    queue = bare.topics.tool_calls
    zoneless = request("1").model_copy(update={"not_after": NOW.replace(tzinfo=None)})
    await publisher.publish(queue, zoneless, key="1", id="1", subject="s", partition=0)
    await publisher.publish(queue, request("2"), key="2", id="2", subject="s", partition=0)
    assert await Worker(bare, publisher).take_until("2") == ["2"]
    (letter,) = await read_all(bare, bare.topics.dead_letters)
    reason = b"tool_call.request: Input should have timezone info at /not_after"
    assert dict(letter.headers)["dead-letter-reason"] == reason


async def test_what_cannot_be_parsed_is_buried_and_the_next_request_is_taken(bare: Bus, publisher: Publisher) -> None:
    queue = bare.topics.tool_calls
    await write_batch(bare, queue, with_a_broken_name([b"rubbish"], broken=0))
    await publisher.publish(queue, request("1"), key="1", id="1", subject="s", partition=0)
    assert await Worker(bare, publisher).take_until("1") == ["1"]
    (letter,) = await read_all(bare, bare.topics.dead_letters)
    assert dict(letter.headers)["dead-letter-reason"] == b"the name of a header is not UTF-8 text"


async def test_requests_that_were_deleted_before_they_were_taken_are_gone_past(bare: Bus, publisher: Publisher) -> None:
    """At the start, when the committed offset lies before them, and while the worker reads."""
    queue = bare.topics.tool_calls
    for number in range(6):
        await publisher.publish(queue, request(str(number)), key="k", id="1", subject="s", partition=0)
    worker = Worker(bare, publisher)
    assert await worker.take_until("5") == ["0", "1", "2", "3", "4", "5"]
    for number in range(6, 9):
        await publisher.publish(queue, request(str(number)), key="k", id="1", subject="s", partition=0)
    await delete_before(bare, queue, 0, 8)
    assert (await worker.take_until("8"))[6:] == ["8"]


async def test_what_lies_in_partitions_that_somebody_added_is_taken_soon(bare: Bus, publisher: Publisher) -> None:
    """The owner that started since then writes there, and a call has a minute: aiokafka would look after five."""
    queue, worker = bare.topics.tool_calls, Worker(bare, publisher)
    async with asyncio.timeout(150), asyncio.TaskGroup() as tasks:
        taking = tasks.create_task(worker.take_until("added"))
        await worker.until_it_takes(request("before"))
        await add_partitions(bare, queue, until=2)
        async with Publisher(bare, source="test", now=lambda: NOW).running() as later:
            await later.publish(queue, request("added"), key="k", id="2", subject="s", partition=1)
        assert (await taking)[-1] == "added"


async def test_a_commit_that_nobody_answers_holds_up_no_request(
    bare: Bus, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The group's coordinator is a broker of its own: one that hangs, or loads, while the queue's broker answers."""

    async def unanswered(consumer: AIOKafkaConsumer, offsets: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(AIOKafkaConsumer, "commit", unanswered)
    queue, worker = bare.topics.tool_calls, Worker(bare, publisher)
    async with asyncio.timeout(30), asyncio.TaskGroup() as tasks:
        taking = tasks.create_task(worker.take_until("after"))
        await worker.until_it_takes(request("before"))
        await publisher.publish(queue, request("after"), key="k", id="2", subject="s", partition=0)
        await taking


@pytest.mark.parametrize("may_skip", [True, False])
async def test_a_position_that_is_lost_is_gone_past_in_queues_and_refused_elsewhere(
    bare: Bus, publisher: Publisher, may_skip: bool
) -> None:
    queue, place = bare.topics.tool_calls, TopicPartition(bare.topics.tool_calls, 0)
    for number in range(20):
        await publisher.publish(queue, request(str(number)), key="k", id="1", subject="s", partition=0)
    consumer = member(bare, f"{bare.topics.prefix}-group")
    assigned = AssignedPartitions(consumer, may_skip=may_skip)
    consumer.subscribe([queue], listener=assigned)
    try:
        await start_client(consumer)
        await assigned.open()
        assert await offsets_of(consumer) == [0, 1, 2, 3, 4]
        consumer.pause(place)
        consumer.seek(place, 5)
        await delete_before(bare, queue, 0, 15)
        consumer.resume(place)
        with pytest.raises(PositionLostError, match=f"{queue} partition 0 at 5") as lost:
            await offsets_of(consumer)
        if may_skip:
            assigned.skip(lost.value)
            await assigned.open()
            assert (await offsets_of(consumer))[0] == 15
        else:
            with pytest.raises(PositionLostError):
                assigned.skip(lost.value)
    finally:
        await stop_client(consumer)


async def offsets_of(consumer: AIOKafkaConsumer) -> list[int]:
    """Of the next five records."""

    async def some() -> list[int]:
        found = await consumer.getmany(timeout_ms=500, max_records=5)
        return [record.offset for records in found.values() for record in records]

    return await eventually(some, "records")


async def test_every_process_hears_what_is_told_from_when_it_listens(bare: Bus, publisher: Publisher) -> None:
    heard: list[Control] = []
    listening, enough = asyncio.Event(), asyncio.Event()

    def hear(told: Control) -> None:
        heard.append(told)
        if told == CallCancelled(call_id="last"):
            enough.set()

    control = bare.topics.control
    await publisher.publish(control, CallCancelled(call_id="before"), key="k", id="0", subject="s")
    async with asyncio.timeout(90), background_tasks(follow_control(bare, hear, listening.set)):
        await listening.wait()
        granted = ClaimGranted(call_id="c", claim_id="x")
        await publisher.publish(control, granted, key="k", id="1", subject="s", partition=2)
        await publisher.write(control, key=b"k", value=b"rubbish", headers=[], partition=2)
        await publisher.publish(control, request("1"), key="k", id="2", subject="s", partition=2)
        await publisher.publish(control, CallCancelled(call_id="last"), key="k", id="3", subject="s", partition=2)
        await enough.wait()
    assert heard == [granted, CallCancelled(call_id="last")]
