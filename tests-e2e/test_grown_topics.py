"""Somebody grows our topics under the whole system: every investigation ends, and is shown."""

import asyncio
import json
from pathlib import Path

import pytest
from aiokafka.admin import NewPartitions

from tarsy_bus.client.connection import producer
from tarsy_bus.readers.partition_reader import Record
from tarsy_bus.topics.topics_admin import admin
from tarsy_contracts.events import ToolCallCompleted
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.bus_kafka import read, read_all
from tarsy_testing.servers.public_topic import until_all_is_public
from tarsy_testing.story.incident import alert_now, executions
from tarsy_testing.story.log import read_log
from tarsy_testing.system.investigation import Investigation, submit
from tarsy_testing.system.system import SERVICES, System


@pytest.mark.parametrize("lab_delays", [{"pods_log": 4.0}])
async def test_investigations_that_run_and_investigations_that_come_all_end(system: System, lab_calls: Path) -> None:
    await system.start_all()
    await submit(system).until("tool_call.requested")
    names = {topic.name for topic in system.bus.topics.all()} - {system.bus.topics.layout}
    async with admin(system.bus) as client:
        await client.create_partitions({name: NewPartitions(48) for name in names})
    # Each process writes to them from its start on.
    for service in SERVICES:
        await system.replace(service)
    for _ in range(2):
        submit(system)
    await write_to_added_partitions(system)
    topics = system.bus.topics

    async def all_begun() -> set[str] | None:
        sessions = set(await read_log(system.bus))
        return sessions if len(sessions) == 4 else None

    for session_id in await eventually(all_begun, "the alert in the added partition is a session"):
        log = await Investigation(system, session_id).until_ended()
        assert log.types[-1] == "session.completed"
        (long_one, *_) = [call for call in log.events(ToolCallCompleted) if call.stored is not None]
        path = f"/api/v1/sessions/{session_id}/tool-calls/{long_one.call_id}/result?at_least={len(log.accepted)}"
        await asyncio.to_thread(system.get, path)
    assert executions(lab_calls, "pods_delete") == 4
    await until_all_is_public(system.bus)
    assert await added(system, topics.tool_calls), "a queue's added partitions are used"
    for fixed in (topics.inbox, topics.sessions, topics.heads, topics.stream, topics.events):
        assert await added(system, fixed) == []

    async def letters() -> list[Record]:
        found = await read_all(system.bus, topics.dead_letters) + await added(system, topics.dead_letters)
        return [record for record in found if dict(record.headers)["dead-letter-partition"] == b"41"]

    (letter,) = await eventually(letters, "what is no alert is in the dead letters")
    assert letter.value == b""


async def write_to_added_partitions(system: System) -> None:
    """An alert, which is investigated, and something that is none."""
    writing = producer(system.bus)
    await writing.start()
    try:
        alert = json.dumps(alert_now()).encode()
        await writing.send_and_wait(system.bus.topics.alerts, alert, key=b"k", partition=40)
        await writing.send_and_wait(system.bus.topics.alerts, b"", key=b"k", partition=41)
    finally:
        await writing.stop()


async def added(system: System, topic: str) -> list[Record]:
    """Records in the partitions that were added."""
    ours = next(one.partitions for one in system.bus.topics.all() if one.name == topic)
    return [record for partition in range(ours, 48) for record in await read(system.bus, topic, partition)]
