"""What a process keeps in memory, watched while something happens."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tarsy_bus.background_tasks import background_tasks

LOOK_SECONDS = 0.05


def resident(pid: int) -> float:
    """Megabytes of its own."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) / 1024
    raise AssertionError("no memory")


class Watch:
    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.most = 0.0

    async def look(self) -> None:
        while True:
            self.most = max(self.most, resident(self.pid))
            await asyncio.sleep(LOOK_SECONDS)


@asynccontextmanager
async def watched(pid: int) -> AsyncIterator[Watch]:
    watch = Watch(pid)
    async with background_tasks(watch.look()):
        yield watch
