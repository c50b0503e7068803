"""Long-lived tasks: however one ends that nobody asked to end, its service learns of it."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from tarsy_service.supervision import Supervisor, TaskEndedError

LIMIT_SECONDS = 30.0


async def for_ever() -> None:
    await asyncio.Event().wait()


async def returns() -> None:
    await asyncio.sleep(0)


async def is_cancelled_from_inside() -> None:
    """As by a library that cancels a task of its own, and awaits it."""
    own = asyncio.create_task(for_ever())
    await asyncio.sleep(0)
    own.cancel()
    await own


async def raises() -> None:
    raise LookupError("no such log")


@pytest.mark.parametrize(
    ("work", "error", "says"),
    [
        (returns, TaskEndedError, "the reader ended"),
        (is_cancelled_from_inside, TaskEndedError, "the reader was cancelled"),
        (raises, LookupError, "no such log"),
    ],
)
async def test_a_task_that_ends_unasked_ends_its_group(
    work: Callable[[], Awaitable[None]], error: type[Exception], says: str
) -> None:
    async with asyncio.timeout(LIMIT_SECONDS):
        with pytest.RaisesGroup(pytest.RaisesExc(error, match=says)):
            async with Supervisor().group() as group:
                group.start("another", for_ever())
                group.start("the reader", work())  # type: ignore[arg-type]


async def test_one_that_is_asked_to_end_may_return_or_be_cancelled() -> None:
    async def drains() -> None:
        try:
            await for_ever()
        except asyncio.CancelledError:
            return

    async with asyncio.timeout(LIMIT_SECONDS), Supervisor().group() as group:
        tasks = [group.start("drains", drains()), group.start("cancelled", for_ever())]
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()


async def test_one_that_was_told_to_end_in_another_way_may_return() -> None:
    stopped = asyncio.Event()

    async def until_stopped() -> None:
        await stopped.wait()

    async with asyncio.timeout(LIMIT_SECONDS), Supervisor().group() as group:
        group.start("stoppable", until_stopped(), may_end=stopped.is_set)
        stopped.set()


async def test_finite_work_may_end_but_not_be_cancelled_from_inside() -> None:
    async with asyncio.timeout(LIMIT_SECONDS):
        async with Supervisor().group() as group:
            group.start_finite("a call", returns())
        with pytest.RaisesGroup(pytest.RaisesExc(TaskEndedError, match="a call was cancelled")):
            async with Supervisor().group() as group:
                group.start_finite("a call", is_cancelled_from_inside())


async def test_the_supervisor_knows_who_runs() -> None:
    supervisor = Supervisor()
    async with asyncio.timeout(LIMIT_SECONDS):
        async with supervisor.background({"b": for_ever(), "a": for_ever()}):
            assert supervisor.names == ["a", "b"]
        assert supervisor.names == []


async def test_background_work_ends_with_its_body() -> None:
    began, ended = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        began.set()
        try:
            await for_ever()
        finally:
            ended.set()

    async with asyncio.timeout(LIMIT_SECONDS):
        async with Supervisor().background({"work": work()}):
            await began.wait()
        assert ended.is_set()


async def test_background_work_that_was_never_begun_leaves_no_complaint() -> None:
    async with asyncio.timeout(LIMIT_SECONDS), Supervisor().background({"work": for_ever()}):
        pass


async def test_the_failure_of_background_work_ends_the_body_and_comes_out() -> None:
    async with asyncio.timeout(LIMIT_SECONDS):
        with pytest.RaisesGroup(pytest.RaisesExc(LookupError, match="no such log")):
            async with Supervisor().background({"work": raises()}):
                await for_ever()


async def test_the_failure_of_the_body_comes_out_and_ends_background_work() -> None:
    tasks = asyncio.all_tasks()
    async with asyncio.timeout(LIMIT_SECONDS):
        with pytest.RaisesGroup(pytest.RaisesExc(LookupError, match="no such log")):
            async with Supervisor().background({"work": for_ever()}):
                raise LookupError("no such log")
    assert asyncio.all_tasks() <= tasks
