"""A new owner gives nobody a place before it knows all that run already."""

import pytest
from orchestrator_running import until_asked
from orchestrator_world import World, config, new_session

from tarsy_contracts.alert import Priority
from tarsy_contracts.messages.inputs import AlertReceived
from tarsy_testing.story.story import ALERT


@pytest.fixture
async def world(world: World) -> World:
    """One session runs at a time."""
    world.config = config(sessions_at_once=1)
    return world


async def waiting(world: World, partition: int, priority: Priority) -> str:
    session = new_session(partition)
    alert = ALERT.model_copy(update={"title": session, "alert_type": "kubernetes", "priority": priority})
    written = await world.send(session, AlertReceived(alert=alert))
    await world.until(session, "session.started")
    await world.until_committed(written)
    return session


async def test_those_that_wait_go_on_waiting_in_their_order(world: World) -> None:
    """Partition 5 is settled last: somebody else's input there is not committed yet."""
    first = await world.owner("first")
    first.llm.may_answer.clear()
    running = new_session(5)
    await world.alert(running)
    await until_asked(first, [running])
    low = await waiting(world, 3, "low")
    urgent = await waiting(world, 5, "urgent")
    assert {number: first.queues[number].waiting for number in (3, 5, 0)} == {3: 1, 5: 1, 0: 0}
    first.forgets_everything()
    await world.alert(running, id="again")
    await world.until(running, "alert.repeated")
    await first.crash()

    second = world.beginning("second")
    second.llm.may_answer.clear()
    await second.until_ready()
    await until_asked(second, [running])
    assert [(await world.log(session)).types for session in (low, urgent)] == [["session.started"]] * 2

    assert {number: second.queues[number].waiting for number in (3, 5, 0)} == {3: 1, 5: 1, 0: 0}

    second.llm.may_answer.set()
    ended = {session: await world.until_ended(session) for session in (running, urgent, low)}
    begun = {session: told.accepted[1].appended_at for session, told in ended.items()}
    assert begun[urgent] < begun[low]
