"""An owner shows for how long somebody waits: sessions for their turn, inputs for their decision."""

import pytest
from orchestrator_running import RunningOwner, until_asked
from orchestrator_world import World, config, new_session

from tarsy_testing.real_servers import eventually


@pytest.fixture
async def world(world: World) -> World:
    """One session runs at a time."""
    world.config = config(sessions_at_once=1)
    return world


async def until_shown(owner: RunningOwner, name: str, *, waits: bool) -> None:
    async def looked() -> bool:
        return (owner.counted(name) > 0) == waits

    await eventually(looked, f"{name} is {'above ' if waits else ''}0")


async def test_the_age_of_a_session_that_waits_is_shown_until_its_turn(world: World) -> None:
    owner = await world.owner()
    owner.llm.may_answer.clear()
    first, second = new_session(3), new_session(5)
    await world.alert(first)
    await until_asked(owner, [first])
    await world.alert(second)
    await until_shown(owner, "waiting_session_age_seconds", waits=True)
    await until_shown(owner, "inbox_lag_seconds", waits=False)

    assert [owner.queues[number].waiting for number in (3, 5)] == [0, 1], "the first runs"
    assert (owner.queues[5].decided, owner.queues[0].decided) == (1, 0)

    owner.llm.may_answer.set()
    await world.until_ended(second)
    await until_shown(owner, "waiting_session_age_seconds", waits=False)
    assert owner.queues[5].waiting == 0
