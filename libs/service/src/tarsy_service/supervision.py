"""Supervision of long-lived tasks: one that ends without having been asked is a failure of its service.

`asyncio.TaskGroup` sees a child that raises. A child that returns or is cancelled from inside would otherwise end
silently. Libraries do this when they cancel a task of their own and await it.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from tarsy_service.errors import ServiceError
from tarsy_service.loop_progress import ServiceLoops

type Work = Coroutine[object, object, object]


class TaskEndedError(ServiceError):
    """A long-lived task ended by itself: it returned, or was cancelled from inside. The message names it.

    We find out why; the service ends meanwhile.
    """


def never() -> bool:
    return False


@dataclass(frozen=True, slots=True, eq=False)
class SupervisedTask:
    name: str
    task: "asyncio.Task[None] | None"


class Supervisor:
    """Every long-lived task of one service, by name; none of them ends in silence.

    `loops` knows how each of those makes progress that says so.
    """

    def __init__(self) -> None:
        self._tasks: set[SupervisedTask] = set()
        self.loops = ServiceLoops()

    def heartbeat_for(self, name: str, *, essential: bool = True) -> Callable[[], None]:
        """A function that a loop calls after each step. Without a step for a minute the service is not ready.

        Without one of a loop that is not essential it is ready, and degraded.
        """
        return self.loops.begin(name, essential=essential).heartbeat

    @property
    def names(self) -> list[str]:
        """Names of the tasks that run now."""
        return sorted(one.name for one in self._tasks)

    @asynccontextmanager
    async def group(self) -> AsyncIterator["SupervisedGroup"]:
        """A task group: the failure of one task ends the body and the others, and comes out in a group.

        After the body it waits for its tasks, as `asyncio.TaskGroup` does.
        """
        async with asyncio.TaskGroup() as tasks:
            yield SupervisedGroup(self, tasks)

    @asynccontextmanager
    async def background(self, work: Mapping[str, Work]) -> AsyncIterator[None]:
        """Runs these while the body runs, by name, and cancels them after it. The failure of one ends the body."""
        async with self.group() as group:
            tasks = [group.start(name, each) for name, each in work.items()]
            try:
                yield
            finally:
                for task in tasks:
                    task.cancel()

    async def run(self, name: str, work: Work) -> None:
        """Runs it in the current task, until that is cancelled."""
        one = SupervisedTask(name, asyncio.current_task())
        self._tasks.add(one)
        try:
            await until_cancelled(name, work)
        finally:
            self._tasks.discard(one)

    def add(self, name: str, task: "asyncio.Task[None]") -> None:
        one = SupervisedTask(name, task)
        self._tasks.add(one)
        task.add_done_callback(lambda _: self._tasks.discard(one))


class SupervisedGroup:
    def __init__(self, supervisor: Supervisor, tasks: asyncio.TaskGroup) -> None:
        self._supervisor = supervisor
        self._tasks = tasks

    def start(self, name: str, work: Work, *, may_end: Callable[[], bool] = never) -> "asyncio.Task[None]":
        """Runs work that goes on until it is cancelled, or, where `may_end` says so then, returns."""
        task = self._begin_task(name, until_cancelled(name, work, may_end), work)
        self._supervisor.add(name, task)
        return task

    def start_finite(self, name: str, work: Work) -> "asyncio.Task[None]":
        """Runs work that comes to an end by itself; it may not be cancelled from inside."""
        return self._begin_task(name, _run_finite(name, work), work)

    def _begin_task(self, name: str, watched: Coroutine[object, object, None], work: Work) -> "asyncio.Task[None]":
        """Raises RuntimeError when the group has ended."""
        try:
            task = self._tasks.create_task(watched, name=name)
        except RuntimeError:
            # Python would complain about work that nobody awaited.
            watched.close()
            work.close()
            raise
        # The same of a task that was cancelled before its first step.
        task.add_done_callback(lambda _: work.close())
        return task


async def until_cancelled(name: str, work: Work, may_end: Callable[[], bool] = never) -> None:
    """Raises TaskEndedError when the work ends, though nobody cancelled this task."""
    await not_cancelled_from_inside(name, work)
    if not _is_cancelled() and not may_end():
        raise TaskEndedError(f"{name} ended, though nobody had asked it to")


async def _run_finite(name: str, work: Work) -> None:
    await not_cancelled_from_inside(name, work)


async def not_cancelled_from_inside[T](name: str, work: Awaitable[T]) -> T:
    """Returns what the work returns. Raises TaskEndedError when it was cancelled, though nobody cancelled this task."""
    try:
        return await work
    except asyncio.CancelledError as problem:
        if _is_cancelled():
            raise
        raise TaskEndedError(f"{name} was cancelled, though nobody had asked for it") from problem


def _is_cancelled() -> bool:
    """Somebody called cancel() of the current task: its group, or its owner."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
