"""A flood of alerts in one process, of which the owner takes little at a time: other partitions go on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack

import pytest
from aiokafka import TopicPartition
from orchestrator_running import RunningOwner
from orchestrator_world import World, calling, new_session, words

from tarsy_contracts.events import SessionStarted
from tarsy_orchestrator.partition.inputs import inbox_feed
from tarsy_orchestrator.partition.inputs.inbox_feed import FLOOD_INPUTS, in_turn
from tarsy_service.process.alerts_under_way import MANY
from tarsy_testing.real_servers import eventually
from tarsy_testing.story.story import READ

FLOODED, QUIET = 0, 1
ALERTS = 1_500
"""They are of one session. The owner takes a dozen a second, and still has most of them before it when a test ends."""


@pytest.fixture
async def flooded(world: World, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[RunningOwner]:
    """An owner that has fetched all alerts of one partition, and took the first of them."""
    monkeypatch.setattr(inbox_feed, "FLOOD_SECONDS", 1.0)
    world.turns[:] = [calling(READ), words("the cause is X")]
    owner, session = await world.owner(), new_session(FLOODED)
    with ExitStack() as flood:
        for _ in range(MANY):
            flood.enter_context(owner.alerts.one())
        # At once: all but the first go in one batch, which is fetched as a whole.
        await asyncio.gather(*[world.alert(session, id=str(number)) for number in range(ALERTS)])

        async def began() -> bool:
            return await taken(world, owner) > FLOOD_INPUTS

        await eventually(began, "the owner takes from the flood")
        yield owner
        assert await taken(world, owner) < ALERTS, "the flood was over before the test"


async def taken(world: World, owner: RunningOwner) -> int:
    """Alerts of the flood that the owner took."""
    return int(await owner.consumer.position(TopicPartition(world.bus.topics.inbox, FLOODED)))


async def test_an_alert_in_another_partition_is_not_behind_all_of_the_flood(
    world: World, flooded: RunningOwner
) -> None:
    session = new_session(QUIET)
    await world.alert(session)
    await world.until(session, SessionStarted.type)


async def test_a_request_of_another_partition_that_was_lost_is_published_again(
    world: World, flooded: RunningOwner
) -> None:
    session = new_session(QUIET)
    await world.alert(session)
    await world.request(session, count=2)


def test_partitions_have_their_turn_one_after_the_other() -> None:
    assert in_turn({3, 1, 2}, last=-1) == [1, 2, 3]
    assert in_turn({3, 1, 2}, last=1) == [2, 3, 1]
    assert in_turn({3, 1, 2}, last=3) == [1, 2, 3]
