"""A bound on what is in work at once."""

import asyncio

from tarsy_tool_gateway.results.memory_budget import MemoryBudget


class Worker:
    def __init__(self, room: MemoryBudget) -> None:
        self.room = room
        self.inside: list[str] = []
        self.most = 0
        self.order: list[str] = []
        self.may_go = asyncio.Event()

    async def work(self, name: str, size: int) -> None:
        async with self.room.of(size):
            self.inside.append(name)
            self.order.append(name)
            self.most = max(self.most, len(self.inside))
            await self.may_go.wait()
            self.inside.remove(name)


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_what_fits_is_in_work_and_the_rest_waits_in_order() -> None:
    worker = Worker(MemoryBudget(10))
    async with asyncio.TaskGroup() as tasks:
        for name, size in (("a", 4), ("b", 6), ("c", 5), ("d", 1)):
            tasks.create_task(worker.work(name, size))
        await settled()
        assert worker.inside == ["a", "b"]
        worker.may_go.set()
    assert worker.order == ["a", "b", "c", "d"]


async def test_what_is_larger_than_all_is_let_in_alone() -> None:
    worker = Worker(MemoryBudget(10))
    worker.may_go.set()
    async with asyncio.TaskGroup() as tasks:
        for name, size in (("a", 4), ("huge", 99), ("b", 6)):
            tasks.create_task(worker.work(name, size))
    assert worker.order == ["a", "huge", "b"]
    assert worker.most == 1


async def test_who_gives_up_takes_no_room() -> None:
    worker = Worker(MemoryBudget(10))
    async with asyncio.TaskGroup() as tasks:
        first, waiting = (tasks.create_task(worker.work(name, 10)) for name in ("a", "b"))
        await settled()
        waiting.cancel()
        await settled()
        first.cancel()
        await settled()
        worker.may_go.set()
        await worker.work("c", 10)
    assert worker.order == ["a", "c"]
