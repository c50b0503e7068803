"""One session at a time: those that wait are taken by priority, then in the order in which they came."""

import asyncio
from collections.abc import Iterator
from itertools import pairwise

import pytest

from tarsy_contracts import events as e
from tarsy_contracts.alert import Priority
from tarsy_testing.real_servers import eventually
from tarsy_testing.story.live_log import LiveLog, records_of
from tarsy_testing.system.chains import ask_for, cancel, rows
from tarsy_testing.system.investigation import Investigation, shown
from tarsy_testing.system.system import System
from tarsy_verification.session_log import SessionLog

pytestmark = pytest.mark.usefixtures("one_at_a_time")

ARRIVING: tuple[Priority, ...] = ("low", "normal", "urgent", "normal", "high")
NEXT = (2, 4, 1, 3, 0)
"""In which order those begin."""


@pytest.fixture(scope="module")
def one_at_a_time(shared_system: System) -> Iterator[None]:
    """The orchestrator takes one session at a time, as long as these tests run."""
    before = dict(shared_system.environment)
    shared_system.environment["TARSY_TEST_SESSIONS"] = "1"
    asyncio.run(shared_system.replace("orchestrator"))
    yield
    shared_system.environment.update(before)
    asyncio.run(shared_system.replace("orchestrator"))


async def fill(system: System, log: LiveLog) -> tuple[Investigation, list[str]]:
    """One that runs, and those that wait, in the order in which they came."""
    running = ask_for(system, "talking")
    await log.until_event(running.session_id, e.StageStarted)
    waiting = []
    for priority in ARRIVING:
        waiting.append(ask_for(system, "answering", priority=priority).session_id)
        await log.until_event(waiting[-1], e.SessionStarted)
    return running, waiting


async def until_shown_in_order(system: System, running: str, waiting: list[str]) -> None:
    """`waiting`: in the order in which they are next."""

    async def look() -> bool:
        found = system.get("/api/v1/sessions/active")
        assert isinstance(found, dict)
        queued = [(row["id"], row["queue_position"]) for row in rows(found["queued"])]
        active = [row["id"] for row in rows(found["active"])]
        return active == [running] and queued == [(id, place) for place, id in enumerate(waiting, start=1)]

    await eventually(look, "the queue in its order")


async def began(log: LiveLog, sessions: list[str]) -> list[str]:
    """The same sessions, once all have ended, in the order in which they began."""
    ended = {id: await log.until_ended(id) for id in sessions}
    return sorted(ended, key=lambda id: records_of(ended[id], e.StageStarted)[0].appended_at)


def never_overlap(logs: list[SessionLog]) -> bool:
    spans = sorted((records_of(one, e.StageStarted)[0].appended_at, one.accepted[-1].appended_at) for one in logs)
    return all(ended <= begun for (_, ended), (begun, _) in pairwise(spans))


async def test_those_that_wait_begin_one_after_the_other_in_their_order(system: System, log: LiveLog) -> None:
    running, waiting = await fill(system, log)
    expected = [waiting[place] for place in NEXT]
    await until_shown_in_order(system, running.session_id, expected)
    cancel(system, running.session_id)
    assert await began(log, waiting) == expected
    assert never_overlap([log.of(id) for id in (running.session_id, *waiting)])


async def test_they_keep_their_order_when_the_orchestrator_is_killed(system: System, log: LiveLog) -> None:
    running, waiting = await fill(system, log)
    await system.replace("orchestrator")
    expected = [waiting[place] for place in NEXT]
    await until_shown_in_order(system, running.session_id, expected)
    assert not [id for id in waiting if log.of(id).events(e.StageStarted)]
    cancel(system, running.session_id)
    assert await began(log, waiting) == expected


async def test_one_that_waits_can_be_cancelled(system: System, log: LiveLog) -> None:
    running, waiting = await fill(system, log)
    cancel(system, waiting[NEXT[0]])
    told = await log.until_ended(waiting[NEXT[0]])
    assert told.types == ["session.started", "request.accepted", "session.cancelled"]
    assert (await shown(system, waiting[NEXT[0]], told))["status"] == "cancelled"
    left = [waiting[place] for place in NEXT[1:]]
    await until_shown_in_order(system, running.session_id, left)
    cancel(system, running.session_id)
    assert await began(log, left) == left
