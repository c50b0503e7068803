"""Who runs, and who is next."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta

import pytest

from tarsy_contracts.alert import Alert, Priority, priority_of
from tarsy_orchestrator.effects.admission import AdmissionQueue, background_capacity

MORNING = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)


class Crowd:
    """Sessions that wait, and the order in which they got their places."""

    def __init__(self, queue: AdmissionQueue) -> None:
        self.queue = queue
        self.in_order: list[str] = []
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def comes(self, session_id: str, priority: Priority = "normal", *, minute: int = 0) -> None:
        self.tasks[session_id] = asyncio.create_task(self._wait(session_id, priority, minute))
        await asyncio.sleep(0)

    async def ends(self, session_id: str) -> None:
        self.queue.release(session_id)
        await asyncio.sleep(0)

    async def goes(self, session_id: str) -> None:
        self.tasks[session_id].cancel()
        with suppress(asyncio.CancelledError):
            await self.tasks[session_id]

    async def _wait(self, session_id: str, priority: Priority, minute: int) -> None:
        await self.queue.acquire(session_id, priority, MORNING + timedelta(minutes=minute))
        self.in_order.append(session_id)


@asynccontextmanager
async def crowd(most: int) -> AsyncIterator[Crowd]:
    crowd = Crowd(AdmissionQueue(most))
    yield crowd
    for task in crowd.tasks.values():
        task.cancel()
    await asyncio.wait(crowd.tasks.values())


async def test_as_many_run_as_there_are_places_and_the_next_when_one_has_ended() -> None:
    async with crowd(2) as waiting:
        for name in ("a", "b", "c"):
            await waiting.comes(name)
        assert waiting.in_order == ["a", "b"]
        await waiting.ends("a")
        assert waiting.in_order == ["a", "b", "c"]


async def test_the_urgent_go_first_and_within_a_priority_who_came_first() -> None:
    async with crowd(1) as waiting:
        await waiting.comes("running")
        await waiting.comes("late", minute=5)
        await waiting.comes("early", minute=1)
        await waiting.comes("low", "low")
        await waiting.comes("urgent", "urgent", minute=9)
        for name in ("running", "urgent", "early", "late"):
            await waiting.ends(name)
        assert waiting.in_order == ["running", "urgent", "early", "late", "low"]


async def test_who_leaves_the_queue_takes_no_place() -> None:
    async with crowd(1) as waiting:
        for name in ("a", "b", "c"):
            await waiting.comes(name)
        await waiting.goes("b")
        await waiting.ends("a")
        assert waiting.in_order == ["a", "c"]


async def test_sessions_that_were_taken_over_count_and_may_be_too_many() -> None:
    async with crowd(2) as waiting:
        for name in ("x", "y", "z"):
            waiting.queue.mark_running(name)
        await waiting.comes("a")
        await waiting.ends("x")
        assert waiting.in_order == []
        await waiting.ends("y")
        assert waiting.in_order == ["a"]


async def test_a_place_given_to_somebody_who_was_cancelled_in_that_moment_is_free_again() -> None:
    async with crowd(1) as waiting:
        await waiting.comes("a")
        await waiting.comes("b")
        await waiting.comes("c")
        waiting.queue.release("a")
        await waiting.goes("b")
        await asyncio.sleep(0)
        assert waiting.in_order == ["a", "c"]


async def test_a_place_that_is_free_before_somebody_cancelled_has_noticed_goes_to_the_next() -> None:
    async with crowd(1) as waiting:
        for name in ("a", "b", "c"):
            await waiting.comes(name)
        waiting.tasks["b"].cancel()
        waiting.queue.release("a")
        await asyncio.sleep(0)
        assert waiting.in_order == ["a", "c"]


class CountedTime(datetime):
    compared = 0

    def __eq__(self, other: object) -> bool:
        CountedTime.compared += 1
        return super().__eq__(other)

    __hash__ = datetime.__hash__


async def test_when_all_leave_at_once_the_queue_is_not_ordered_anew_for_each() -> None:
    many, queue = 1_000, AdmissionQueue(0)
    since = CountedTime(2026, 11, 22, 3, 0, tzinfo=UTC)
    tasks = [asyncio.create_task(queue.acquire(str(number), "normal", since)) for number in range(many)]
    await asyncio.sleep(0)
    CountedTime.compared = 0
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    assert queue.oldest is None
    assert CountedTime.compared < 10 * many


@pytest.mark.parametrize(
    ("severity", "priority", "expected"),
    [
        ("critical", None, "urgent"),
        ("Page", None, "urgent"),
        ("warning", None, "normal"),
        (None, None, "normal"),
        ("info", None, "low"),
        ("critical", "low", "low"),
    ],
)
def test_what_is_said_explicitly_goes_before_the_severity(
    severity: str | None, priority: Priority | None, expected: Priority
) -> None:
    alert = Alert(alert_type="k", data="x", source="api", author="a", severity=severity, priority=priority)
    assert priority_of(alert) == expected


async def test_during_a_takeover_nobody_begins_and_then_the_first_in_order() -> None:
    async with crowd(most=1) as waiting:
        waiting.queue.pause()
        await waiting.comes("low", "low")
        await waiting.comes("high", "high")
        await waiting.ends("another")
        assert waiting.in_order == []
        waiting.queue.resume()
        await asyncio.sleep(0)
        assert waiting.in_order == ["high"]


async def test_the_oldest_is_who_has_waited_for_longest_whatever_its_priority() -> None:
    async with crowd(1) as waiting:
        await waiting.comes("runs")
        assert waiting.queue.oldest is None
        await waiting.comes("old", "low", minute=1)
        await waiting.comes("urgent", "high", minute=2)
        assert waiting.queue.oldest == MORNING + timedelta(minutes=1)
        await waiting.goes("old")
        assert waiting.queue.oldest == MORNING + timedelta(minutes=2)


async def test_when_more_may_run_those_that_wait_begin_and_when_fewer_may_nobody_is_stopped() -> None:
    async with crowd(1) as waiting:
        for name in ("a", "b", "c"):
            await waiting.comes(name)
        waiting.queue.resize(2)
        await asyncio.sleep(0)
        assert waiting.in_order == ["a", "b"]
        waiting.queue.resize(1)
        await waiting.ends("a")
        assert waiting.in_order == ["a", "b"]
        await waiting.ends("b")
        assert waiting.in_order == ["a", "b", "c"]


async def test_a_session_that_waits_for_a_person_gives_its_place_to_the_next_and_goes_on_without_asking() -> None:
    async with crowd(1) as waiting:
        for name in ("a", "b", "c"):
            await waiting.comes(name)
        waiting.queue.mark_waiting_for_people("a")
        await asyncio.sleep(0)
        assert waiting.in_order == ["a", "b"]
        waiting.queue.mark_running("a")
        await waiting.ends("b")
        assert waiting.in_order == ["a", "b"], "a has its place again"
        await waiting.ends("a")
        assert waiting.in_order == ["a", "b", "c"]


async def test_no_more_sessions_than_may_run_give_their_places_because_they_wait_for_people() -> None:
    async with crowd(1) as waiting:
        for name in ("a", "b", "c"):
            await waiting.comes(name)
        waiting.queue.mark_waiting_for_people("a")
        await asyncio.sleep(0)
        waiting.queue.mark_waiting_for_people("b")
        await asyncio.sleep(0)
        assert waiting.in_order == ["a", "b"], "b waits, too, and keeps its place"
        await waiting.ends("a")
        assert waiting.in_order == ["a", "b"]
        await waiting.ends("b")
        assert waiting.in_order == ["a", "b", "c"]


@pytest.mark.parametrize(("llm_calls", "phases"), [(200, 4), (16, 4), (8, 2), (1, 1)])
def test_phases_after_the_end_leave_most_llm_calls_to_people_and_alerts(llm_calls: int, phases: int) -> None:
    assert background_capacity(llm_calls) == phases
