"""Requests out of a queue whose Kafka is killed while it is read, and started again."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from tarsy_bus.background_tasks import background_tasks
from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import NotWrittenError, Publisher
from tarsy_bus.queues.work_queue import consume
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_contracts.wire.topics import Topics
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.bus_kafka import make_ours
from tarsy_testing.servers.outage import killable_kafka

NOW = datetime(2026, 11, 23, 3, 0, tzinfo=UTC)


async def put(publisher: Publisher, call_id: str) -> None:
    request = ToolCallRequest(
        session_id="s",
        call_id=call_id,
        server="kubernetes",
        tool="pods_list",
        arguments={},
        repeatable=True,
        timeout_seconds=60,
        not_after=NOW,
    )

    async def written() -> bool:
        try:
            await publisher.publish(publisher.topics.tool_calls, request, key="k", id=call_id, subject="s")
        except NotWrittenError:
            return False
        return True

    await eventually(written, f"request {call_id} is written", seconds=90)


async def test_an_outage_ends_no_consumer_and_steps_are_counted_again_after_it(tmp_path: Path) -> None:
    taken: list[str] = []
    steps = 0

    async def handler(request: ToolCallRequest) -> None:
        taken.append(request.call_id)

    def stepped() -> None:
        nonlocal steps
        steps += 1

    async with killable_kafka(tmp_path / "kafka") as kafka:
        bus = Bus(bootstrap=kafka.bootstrap, topics=Topics("outage"), client="test")
        queue = bus.topics.tool_calls
        await make_ours(bus, queue, bus.topics.dead_letters)
        async with Publisher(bus, source="test", now=lambda: NOW).running() as publisher:
            taking = consume(
                bus, publisher, topic=queue, group="g", kind=ToolCallRequest, handler=handler, heartbeat=stepped
            )
            async with background_tasks(taking):
                await put(publisher, "before")
                await eventually(lambda: _is("before" in taken), "the first request is taken", seconds=60)
                await kafka.kill()
                at_the_kill = steps
                await asyncio.sleep(3)
                assert steps <= at_the_kill + 1, "nobody answers"
                in_the_outage = steps
                await kafka.start()
                await put(publisher, "after")
                await eventually(lambda: _is("after" in taken), "the next request is taken", seconds=90)
                await eventually(lambda: _is(steps > in_the_outage), "steps are counted", seconds=60)


async def _is(found: bool) -> bool:
    return found
