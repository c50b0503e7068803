"""Tasks that live as long as a block of code."""

import asyncio

import pytest

from tarsy_bus.background_tasks import background_tasks


async def test_work_beside_a_block_ends_with_it() -> None:
    began, ended = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with asyncio.timeout(90):
        async with background_tasks(work()):
            await began.wait()
        assert ended.is_set()


async def test_the_failure_of_work_ends_the_block_and_comes_out() -> None:
    async def fail() -> None:
        raise ValueError("no")

    async with asyncio.timeout(90):
        with pytest.RaisesGroup(pytest.RaisesExc(ValueError, match="no")):
            async with background_tasks(fail()):
                await asyncio.Event().wait()


async def test_the_failure_of_the_block_comes_out_and_ends_the_work() -> None:
    tasks = asyncio.all_tasks()
    async with asyncio.timeout(90):
        with pytest.RaisesGroup(pytest.RaisesExc(ValueError, match="no")):
            async with background_tasks(asyncio.Event().wait()):  # type: ignore[arg-type]
                raise ValueError("no")
    assert asyncio.all_tasks() <= tasks
