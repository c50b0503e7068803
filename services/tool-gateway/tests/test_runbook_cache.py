"""Runbooks are fetched once for all who want them at the moment, and not again for a while."""

import asyncio

import pytest
from gateway_owner import WAIT_SECONDS

from tarsy_tool_gateway.builtin.runbooks.cache import RunbookCache
from tarsy_tool_gateway.tool_servers import ToolOutput


class Origin:
    """Counts what it is asked for; answers when it is open."""

    def __init__(self) -> None:
        self.asked = 0
        self.open = asyncio.Event()
        self.open.set()
        self.said = ToolOutput("ok", "steps")

    async def fetch(self) -> ToolOutput:
        self.asked += 1
        await self.open.wait()
        return self.said


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def origin() -> Origin:
    return Origin()


@pytest.fixture
def clock() -> Clock:
    return Clock()


async def waiting(*tasks: asyncio.Task[ToolOutput]) -> None:
    """All of them have come as far as they can."""
    for _ in range(5):
        await asyncio.sleep(0)
    assert not any(task.done() for task in tasks)


async def test_within_its_time_a_runbook_is_not_fetched_again(origin: Origin, clock: Clock) -> None:
    cache = RunbookCache(60, clock=clock)
    assert await cache.get("a", origin.fetch) == origin.said
    clock.now += 59.9
    assert await cache.get("a", origin.fetch) == origin.said
    assert origin.asked == 1
    clock.now += 0.1
    await cache.get("a", origin.fetch)
    assert origin.asked == 2


async def test_what_failed_is_tried_again(origin: Origin, clock: Clock) -> None:
    cache = RunbookCache(60, clock=clock)
    origin.said = ToolOutput("unavailable", "no")
    assert await cache.get("a", origin.fetch) == origin.said
    await cache.get("a", origin.fetch)
    assert origin.asked == 2


async def test_all_who_ask_at_once_get_one_answer(origin: Origin, clock: Clock) -> None:
    cache = RunbookCache(60, clock=clock)
    origin.said = ToolOutput("unavailable", "no")
    origin.open.clear()
    async with asyncio.timeout(WAIT_SECONDS), asyncio.TaskGroup() as tasks:
        all_ = [tasks.create_task(cache.get("a", origin.fetch)) for _ in range(20)]
        await waiting(*all_)
        origin.open.set()
    assert [task.result() for task in all_] == [origin.said] * 20
    assert origin.asked == 1


async def test_another_runbook_is_not_waited_for(origin: Origin, clock: Clock) -> None:
    cache = RunbookCache(60, clock=clock)
    origin.open.clear()
    slow = asyncio.create_task(cache.get("a", origin.fetch))
    await waiting(slow)
    assert (await cache.get("b", Origin().fetch)).text == "steps"
    origin.open.set()
    await slow


async def test_who_waits_takes_over_when_the_first_is_cancelled(origin: Origin, clock: Clock) -> None:
    cache = RunbookCache(60, clock=clock)
    origin.open.clear()
    first, second, third = (asyncio.create_task(cache.get("a", origin.fetch)) for _ in range(3))
    await waiting(first, second, third)
    first.cancel()
    await waiting(second, third)
    assert origin.asked == 2
    third.cancel()
    await waiting(second)
    origin.open.set()
    assert await second == origin.said
    assert origin.asked == 2
    assert first.cancelled()
    assert third.cancelled()


async def test_what_was_not_used_for_longest_goes_first(origin: Origin, clock: Clock) -> None:
    cache = RunbookCache(60, clock=clock, most_entries=2)
    for key in ("a", "b", "a", "c"):
        await cache.get(key, origin.fetch)
    assert origin.asked == 3
    await cache.get("a", origin.fetch)
    assert origin.asked == 3
    await cache.get("b", origin.fetch)
    assert origin.asked == 4


async def test_the_bytes_are_bounded_too(origin: Origin, clock: Clock) -> None:
    cache = RunbookCache(60, clock=clock, most_bytes=10)
    origin.said = ToolOutput("ok", "é" * 3)
    for key in ("a", "b", "b"):
        await cache.get(key, origin.fetch)
    assert origin.asked == 2
    await cache.get("a", origin.fetch)
    assert origin.asked == 3
    origin.said = ToolOutput("ok", "x" * 11)
    assert await cache.get("long", origin.fetch) == origin.said
    await cache.get("long", origin.fetch)
    assert origin.asked == 5
