"""Somebody grows our topics under the whole system: every investigation ends, and is shown."""

from pathlib import Path

import pytest
from aiokafka.admin import NewPartitions

from tarsy_bus.topics_admin import admin
from tarsy_incident import executions
from tarsy_investigation import submit
from tarsy_system import SERVICES, System

pytestmark = pytest.mark.timeout(300)


@pytest.mark.parametrize("lab_delays", [{"pods_log": 4.0}])
async def test_investigations_that_run_and_investigations_that_come_all_end(system: System, lab_calls: Path) -> None:
    await system.start_all()
    running = submit(system)
    await running.until("tool_call.requested")
    names = {topic.name for topic in system.bus.topics.all()} - {system.bus.topics.layout}
    async with admin(system.bus) as client:
        await client.create_partitions({name: NewPartitions(48) for name in names})
    # Clients of Kafka notice within minutes; those of a process that starts, at once.
    for service in SERVICES:
        await system.replace(service)
    later = [submit(system) for _ in range(3)]
    for investigation in [running, *later]:
        log = await investigation.until_ended()
        assert log.types[-1] == "session.completed"
    assert executions(lab_calls, "pods_delete") == 4
