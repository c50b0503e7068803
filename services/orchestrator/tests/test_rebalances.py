"""Two owners in one group: partitions move, sessions go on, and what stays costs nothing."""

from collections.abc import Collection

import pytest
from aiokafka import TopicPartition
from orchestrator_running import RunningOwner, owned_by, until_asked, until_it_owns
from orchestrator_world import LOG_PARTITIONS, World, calling, new_session, partition_of, words

from tarsy_bus.client.connection import Bus
from tarsy_bus.topics.leaders import led_partitions
from tarsy_contracts.events import LlmCallCompleted
from tarsy_orchestrator.partition import take_over_schedule
from tarsy_testing.servers.bus_kafka import LostLeaders
from tarsy_testing.story.story import READ


async def begin(world: World, owners: list[RunningOwner]) -> list[str]:
    """A session in each partition; each waits for its LLM call."""
    sessions = [new_session(partition) for partition in range(LOG_PARTITIONS)]
    for session in sessions:
        await world.alert(session)
    for owner in owners:
        await until_asked(owner, [session for session in sessions if partition_of(session) in owned_by(owner)])
    return sessions


async def check_that_all_end(world: World, sessions: list[str]) -> None:
    for session in sessions:
        log = await world.until_ended(session)
        assert len(log.events(LlmCallCompleted)) == 1


async def test_partitions_move_to_who_joins_and_what_stays_keeps_its_running_calls(world: World) -> None:
    first = await world.owner("first")
    first.llm.may_answer.clear()
    sessions = await begin(world, [first])
    first.ready.clear()
    second = world.beginning("second")
    second.llm.may_answer.clear()
    await second.until_ready()
    await until_it_owns(first, LOG_PARTITIONS // 2)
    moved = [session for session in sessions if partition_of(session) in owned_by(second)]
    assert len(moved) == LOG_PARTITIONS // 2
    await until_asked(second, moved)

    first.llm.may_answer.set()
    second.llm.may_answer.set()
    await check_that_all_end(world, sessions)
    assert all(first.llm.calls_of(session) == 1 for session in sessions)
    assert all(second.llm.calls_of(session) == (session in moved) for session in sessions)


async def test_partitions_come_back_from_who_leaves_and_running_calls_go_on(world: World) -> None:
    first = await world.owner("first")
    first.ready.clear()
    second = await world.owner("second")
    await until_it_owns(first, LOG_PARTITIONS // 2)
    first.llm.may_answer.clear()
    second.llm.may_answer.clear()
    sessions = await begin(world, [first, second])
    moved = [session for session in sessions if partition_of(session) in owned_by(second)]
    first.ready.clear()
    await second.stop()
    await until_it_owns(first, LOG_PARTITIONS)
    await until_asked(first, moved)

    first.llm.may_answer.set()
    await check_that_all_end(world, sessions)
    assert all(first.llm.calls_of(session) == 1 for session in sessions)


async def test_inputs_that_a_read_brings_which_began_before_the_rebalance_are_decided(world: World) -> None:
    """aiokafka lets such a call wait for the assignment; what it returns then belongs to the new one."""
    first = await world.owner("first")
    await first.holds_reading_until_ready()
    sessions = await begin(world, [])
    await world.owner("second")
    await until_it_owns(first, LOG_PARTITIONS // 2)
    await check_that_all_end(world, sessions)


async def test_alerts_that_arrive_while_owners_come_and_go_are_all_investigated(world: World) -> None:
    sessions: list[str] = []

    async def some_alerts() -> None:
        for _ in range(15):
            sessions.append(new_session())
            await world.alert(sessions[-1])

    first = await world.owner("first")
    await some_alerts()
    second = world.beginning("second")
    await some_alerts()
    await second.until_ready()
    await some_alerts()
    await first.crash()
    await some_alerts()
    await world.owner("third")
    await some_alerts()
    for session in sessions:
        await world.until_ended(session)


async def test_a_session_that_ends_while_its_partition_comes_back_owes_nothing_any_longer(world: World) -> None:
    """The cancellation waits in the inbox while the owner recovers: what ran for the session is cancelled with it."""
    world.turns[:] = [calling(READ), words("done")]
    first = await world.owner("first")
    sessions = [new_session(partition) for partition in range(LOG_PARTITIONS)]
    for session in sessions:
        await world.alert(session)
        await world.request(session)
    await first.holds_reading_until_ready()
    for session in sessions:
        await world.cancel(session, request_id=session)
    await world.owner("second")
    for session in sessions:
        await world.until_ended(session)
    published = {session: len(await world.requests(session)) for session in sessions}

    running = new_session(min(owned_by(first)))
    await world.alert(running)
    await world.request(running)
    first.clock_ahead = 1000.0
    await world.request(running, count=2)
    assert {session: len(await world.requests(session)) for session in sessions} == published


async def test_a_partition_without_a_leader_keeps_no_other_from_going_on(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a rebalance the owner has to read each partition first, and cannot read that one."""
    lost, without = LostLeaders(monkeypatch), 3

    async def led(bus: Bus, topics: Collection[str], numbers: Collection[int]) -> frozenset[int]:
        """As the brokers would describe them."""
        found = await led_partitions(bus, topics, numbers)
        return found - {place.partition for place in lost.places}

    monkeypatch.setattr(take_over_schedule, "led_partitions", led)
    sessions = await begin(world, [])
    topics = world.bus.topics
    lost.places = {TopicPartition(topic, without) for topic in (topics.inbox, topics.sessions, topics.heads)}
    first = world.beginning("first")
    await until_asked(first, [session for session in sessions if partition_of(session) != without])
    assert first.llm.calls_of(sessions[without]) == 0
    asked = [first.llm.calls_of(session) for session in sessions]

    lost.places = set()
    await until_asked(first, sessions)
    await check_that_all_end(world, sessions)
    asked[without] = 1
    assert [first.llm.calls_of(session) for session in sessions] == asked, "the others are not taken over anew"
