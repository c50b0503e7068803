"""Periodic work on the database, that an outage of PostgreSQL only delays."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from tarsy_timeline.database.pool import UNREACHABLE


async def run_periodically(
    work: Callable[[], Awaitable[object]], heartbeat: Callable[[], None], pause_seconds: float
) -> None:
    """Until it is cancelled. `heartbeat` is called after each time that PostgreSQL was there."""
    while True:
        with suppress(*UNREACHABLE):
            await work()
            heartbeat()
        await asyncio.sleep(pause_seconds)
