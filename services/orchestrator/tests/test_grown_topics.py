"""Somebody grows our topics (`kafka-topics --alter --partitions`) while sessions run: all of them end."""

from dataclasses import replace
from datetime import UTC, datetime

from orchestrator_running import RunningOwner, owned_by, until_asked
from orchestrator_world import LOG_PARTITIONS, World, new_session

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.bus_kafka import add_partitions


async def grow(bus: Bus, partitions: int = 48) -> None:
    topics = bus.topics
    names = (topics.inbox, topics.sessions, topics.heads, topics.control, topics.tool_calls, topics.workers)
    await add_partitions(bus, *names, until=partitions)


async def test_sessions_that_run_and_sessions_that_come_all_end(world: World) -> None:
    first = await world.owner("first")
    first.llm.may_answer.clear()
    before = [new_session(partition) for partition in range(LOG_PARTITIONS)]
    for session in before:
        await world.alert(session)
    await until_asked(first, before)

    await grow(world.bus)
    # Clients that start now see all partitions at once; a producer that runs would after minutes.
    fresh = replace(world.bus, client="fresh")
    async with Publisher(fresh, source="test", now=lambda: datetime.now(UTC)).running() as publisher:
        after = [new_session() for _ in range(LOG_PARTITIONS)]
        for session in after:
            written = await replace(world, publisher=publisher).alert(session)
            assert written.partition < LOG_PARTITIONS
    second = world.beginning("second")
    first.llm.may_answer.set()
    await second.until_ready()
    for session in [*before, *after]:
        await world.until_ended(session)

    async def all_owned() -> bool:
        return owned_now(second) == LOG_PARTITIONS

    # Alone, `second` is assigned what was grown, too.
    await first.stop()
    await eventually(all_owned, "each of the twelve has an owner, and no other is owned")
    await eventually(lambda: _is_assigned(second, 48), "the group knows of the others")
    assert owned_now(second) == LOG_PARTITIONS
    last = new_session()
    await world.alert(last)
    await world.until_ended(last)


def owned_now(owner: RunningOwner) -> float | None:
    return owner.registry.get_sample_value("tarsy_orchestrator_partitions_owned")


async def _is_assigned(owner: RunningOwner, count: int) -> bool:
    return len(owned_by(owner)) == count
