"""Tasks that live as long as a block of code."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager


@asynccontextmanager
async def background_tasks(*work: Coroutine[object, object, None]) -> AsyncIterator[None]:
    """Runs them while the body runs, and cancels them after it. The failure of one ends the body, and comes out."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(each) for each in work]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
