"""Alerts with one deduplication key are one investigation, whoever owns the partition and whatever has died."""

import asyncio

import pytest
from orchestrator_world import World

from tarsy_contracts.events import AlertRepeated, SessionStarted
from tarsy_contracts.wire.ids import deduplication_key
from tarsy_testing.story.log import read_log
from tarsy_verification.session_log import SessionLog


@pytest.fixture
def key(request: pytest.FixtureRequest) -> str:
    return deduplication_key("test", request.node.nodeid)


async def logs_of(world: World, *session_ids: str) -> list[SessionLog]:
    """Read at once: a storm has hundreds."""
    logs = await read_log(world.bus)
    return [logs.get(session_id, SessionLog()) for session_id in session_ids]


async def test_a_storm_is_one_investigation_that_counts_every_alert(world: World, key: str) -> None:
    """Also when the owner dies in the middle, and when the session has come to rest."""
    first = await world.owner("first")
    # The first one opens the session. The others are sent at once: alone each would be a decision of its own.
    own = [(await world.same_alert(0, key))[0]]
    sent = await asyncio.gather(*(world.same_alert(number, key) for number in range(1, 150)))
    own += [session_id for session_id, _ in sent]
    await world.until(own[0], "alert.repeated")
    await first.stop()
    await world.owner("second")
    sent = await asyncio.gather(*(world.same_alert(number, key) for number in range(150, 300)))
    own += [session_id for session_id, _ in sent]
    await world.until_committed(max((record for _, record in sent), key=lambda record: record.offset))
    log = await world.log(own[0])
    repeated = log.events(AlertRepeated)
    assert sum(one.count for one in repeated) == repeated[-1].total == 299
    assert {id for one in repeated for id in one.joined} == set(own[1:]), "every id that a sender was given is there"
    assert len(repeated) < 299 / 2, "they were decided together"
    assert all(log.types == [] for log in await logs_of(world, *own[1:]))
    started = log.events(SessionStarted)[0]
    assert started.deduplication_key == key


async def test_past_the_window_the_next_alert_is_a_new_investigation_that_later_ones_join(
    world: World, key: str
) -> None:
    await world.owner("first")
    first, _ = await world.same_alert(1, key)
    log = await world.until_ended(first)
    await world.until_rested(first, number=len(log.accepted))
    second, last = await world.same_alert(2, key, window_seconds=0.0)
    await world.until_committed(last)
    third, last = await world.same_alert(3, key)
    await world.until_committed(last)
    assert [("session.started" in log.types) for log in await logs_of(world, first, second, third)] == [
        True,
        True,
        False,
    ]
    repeated = (await world.until(second, "alert.repeated")).events(AlertRepeated)
    assert [one.joined for one in repeated] == [(third,)]


@pytest.mark.parametrize("heads", ["without heads", "with heads"])
async def test_inputs_that_are_read_again_meet_the_session_that_decided_them(
    world: World, key: str, heads: str
) -> None:
    """Nothing of the inbox was committed: each alert comes again, and the window has passed since."""
    first = await world.owner("first")
    if heads == "with heads":
        first.commits_nothing()
    else:
        first.forgets_everything()
    own = [(await world.same_alert(number, key, window_seconds=600.0))[0] for number in range(5)]
    ended = await world.until_ended(own[0])
    later, last = await world.same_alert(9, key, window_seconds=0.0)
    log = await world.until_ended(later)
    if heads == "with heads":
        await world.until_rested(later, number=len(log.accepted))
    await first.crash()
    await world.owner("second")
    await world.until_committed(last)
    logs = await logs_of(world, *own, later)
    assert sum(one.count for one in logs[0].events(AlertRepeated)) == 4
    assert ended.types == logs[0].types[: len(ended.types)]
    assert [log.types.count("session.started") for log in logs] == [1, 0, 0, 0, 0, 1]
