"""Long loops let others run, by the time that they have taken and not by the number of records."""

import asyncio

from tarsy_bus.pacing import TURN_SECONDS, Pacer


async def others_ran(steps: list[float]) -> list[int]:
    """After which of the steps, each so many seconds long, another task ran."""
    now, taken = 0.0, 0
    turns: list[int] = []

    async def other() -> None:
        while True:
            await asyncio.sleep(0)
            turns.append(taken)

    task = asyncio.create_task(other())
    pacer = Pacer(lambda: now)
    await asyncio.sleep(0)
    turns.clear()
    for seconds in steps:
        now += seconds
        taken += 1
        await pacer.let_others_run()
    task.cancel()
    return turns


async def test_short_steps_stay_in_one_turn() -> None:
    assert await others_ran([TURN_SECONDS / 10] * 9) == []


async def test_others_run_when_a_turn_has_lasted_long_enough() -> None:
    assert await others_ran([TURN_SECONDS / 2] * 6) == [2, 4, 6]


async def test_after_one_long_step_others_run_at_once() -> None:
    assert await others_ran([1.0, 0.0, 0.0]) == [1]
