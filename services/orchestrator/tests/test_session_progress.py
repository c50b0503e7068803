"""Sessions that wait get on, or readiness says so: not of an idle owner, nor of one whose sessions only take long."""

import pytest
from orchestrator_running import RunningOwner, until_asked
from orchestrator_world import World, calling, config, new_session

from tarsy_orchestrator.partition.memory.session_progress import SessionProgress, SessionSteps
from tarsy_orchestrator.partition.owner_progress import WAITING_SESSIONS
from tarsy_service.loop_progress import STALLED_SECONDS
from tarsy_testing.real_servers import eventually
from tarsy_testing.story.story import READ

IDLE, UNCLAIMED, MOVED = SessionSteps(5, waiting=False), SessionSteps(5, waiting=True), SessionSteps(6, waiting=True)
LONG_SECONDS = 1_000.0


@pytest.mark.parametrize(
    ("steps", "turns_wait", "moved"),
    [
        ([], False, True),
        ([IDLE, IDLE], False, True),
        ([IDLE, IDLE], True, False),
        ([IDLE, UNCLAIMED], False, False),
        ([MOVED, UNCLAIMED], True, True),
    ],
)
def test_sessions_stand_still_when_some_wait_and_none_got_on(
    steps: list[SessionSteps], turns_wait: bool, moved: bool
) -> None:
    progress = SessionProgress()
    progress.has_moved([IDLE] * len(steps), turns_wait=False)
    assert progress.has_moved(steps, turns_wait=turns_wait) == moved


async def until_degraded(owner: RunningOwner) -> None:
    async def look() -> bool:
        """Its owner has looked since the long time was over, and sessions have not got on meanwhile."""
        idle = owner.supervisor.loops.idle_seconds()
        if idle["decisions"] > STALLED_SECONDS:
            return False
        if idle[WAITING_SESSIONS] > STALLED_SECONDS:
            return True
        owner.clock_ahead += LONG_SECONDS
        return False

    await eventually(look, "sessions stand still")
    (reason,) = reasons(owner)
    assert reason.startswith(f"{WAITING_SESSIONS}: no progress for")


async def until_well(owner: RunningOwner) -> None:
    """Soon after a long time in which nothing happened."""
    owner.clock_ahead += LONG_SECONDS

    async def look() -> bool:
        return not reasons(owner) and not list(owner.supervisor.loops.unready_reasons())

    await eventually(look, "it is ready, and not degraded")


def reasons(owner: RunningOwner) -> list[str]:
    return list(owner.supervisor.loops.explain_degraded())


async def test_a_session_that_waits_for_its_turn_while_none_gets_on_is_told_of(world: World) -> None:
    world.config = config(sessions_at_once=1)
    owner = await world.owner()
    owner.llm.may_answer.clear()
    first, second, third = new_session(3), new_session(5), new_session(5)
    await world.alert(first)
    await until_asked(owner, [first])
    await until_well(owner)

    await world.alert(second)
    await world.alert(third)

    async def both_wait() -> bool:
        return owner.queues[5].waiting == 2

    await eventually(both_wait, "two wait for their turn")
    await until_degraded(owner)
    owner.llm.may_answer.set()
    await world.until_ended(third)
    await until_well(owner)


async def test_a_call_that_no_worker_claims_is_told_of_until_one_does(world: World) -> None:
    world.turns = [calling(READ)]
    owner = await world.owner()
    await world.alert(session := new_session(3))
    request = await world.request(session)
    await until_degraded(owner)
    await world.claim(request)
    await until_well(owner)
