import asyncio

import pytest

from tarsy_mcp_api import bounded_waits
from tarsy_mcp_api.bounded_waits import BoundedWaits


class Hours:
    """Time that passes by sleeping alone."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)


async def nobody_is_told(found: float, left: float) -> None:
    pass


async def test_it_looks_once_a_second_until_it_is_done_and_tells_each_time() -> None:
    hours, told = Hours(), []

    async def look() -> float:
        return hours.now

    async def tell(found: float, left: float) -> None:
        told.append((found, left))

    waits = BoundedWaits(hours, hours.sleep)
    found = await waits.until(look, lambda at: at >= 3, waits.deadline(50), tell)
    assert (found, told) == (3, [(0, 50), (1, 49), (2, 48)])


async def test_it_returns_what_it_saw_last_when_the_time_is_over() -> None:
    hours = Hours()

    async def look() -> float:
        return hours.now

    waits = BoundedWaits(hours, hours.sleep)
    assert await waits.until(look, lambda at: False, waits.deadline(2.5), nobody_is_told) == 2.5
    assert await waits.until(look, lambda at: False, waits.deadline(0), nobody_is_told) == 2.5


async def test_more_than_may_wait_are_answered_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_waits, "MOST_WAITING", 2)
    done = asyncio.Event()

    async def look() -> bool:
        return done.is_set()

    async def until_done(_: float) -> None:
        await done.wait()

    waits = BoundedWaits(sleep=until_done)

    async def wait() -> bool:
        return await waits.until(look, bool, waits.deadline(50), nobody_is_told)

    waiting = [asyncio.create_task(wait()) for _ in range(2)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert await wait() is False
    done.set()
    assert await asyncio.gather(*waiting) == [True, True]
    assert await wait() is True
