"""Switch from the live tables to rebuilt ones, in one transaction: each answer is of the one or of the other."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from tarsy_timeline.database import sql
from tarsy_timeline.database.single_connection import SingleConnection
from tarsy_timeline.database.sql import REBUILD
from tarsy_timeline.errors import TimelineError

LOCK_SECONDS = 2
CATCH_UP_SECONDS = 3.0
"""Readers that come meanwhile wait for both at most."""
FIRST_LOCKED = "sessions"

type CatchUp = Callable[[Mapping[int, int]], Awaitable[None]]


class StillBehindError(TimelineError):
    """The rebuilt tables did not reach the live ones while nobody could write. The caller tries again."""


async def switch(connection: SingleConnection, live: str, fresh: str, retired: str, catch_up: CatchUp) -> None:
    """`catch_up` projects up to the positions of the live tables, which stand still meanwhile.

    Readers hold a lock until their answer is complete, so nobody reads from both. All readers take `sessions` first:
    a waiter for it holds nothing else. A projector goes on where the rebuilt checkpoint stands.

    Raises StillBehindError, TimeoutError or asyncpg.LockNotAvailableError; then nothing has changed.
    """
    async with connection.transaction():
        await connection.execute(f"set local lock_timeout = '{LOCK_SECONDS}s'")
        for table in await _list_tables_in_order(connection, live):
            await connection.execute(f'lock table "{live}"."{table}" in access exclusive mode')
        if behind := await positions_behind(connection, live, fresh):
            async with asyncio.timeout(CATCH_UP_SECONDS):
                await catch_up(behind)
            if await positions_behind(connection, live, fresh):
                raise StillBehindError("the rebuilt tables are behind the live ones")
        await _take_digests_along(connection, live, fresh)
        await connection.execute(f'alter schema "{live}" rename to "{retired}"')
        await connection.execute(f'alter schema "{fresh}" rename to "{live}"')
        await mend_functions(connection, live)


async def mend_functions(connection: SingleConnection, schema: str) -> None:
    """Functions that were made in a schema of another name find its tables under this one."""
    async with connection.transaction():
        await connection.execute(f'set local search_path = "{schema}"')
        for row in await connection.fetch(REBUILD["functions_with_path"], schema):
            await connection.execute(f'alter function {row["name"]} set search_path = "{schema}"')


async def positions_behind(connection: SingleConnection, live: str, fresh: str) -> dict[int, int]:
    """Partitions in which the live tables are ahead, and where they stand."""
    rows = await connection.fetch(REBUILD["positions_behind"].format(live=live, fresh=fresh))
    return {row["partition"]: row["next_offset"] for row in rows}


async def _take_digests_along(connection: SingleConnection, live: str, fresh: str) -> None:
    """Live tables of a version before may have none."""
    if await connection.fetchval("select to_regclass($1)", f'"{live}".digests') is not None:
        await connection.execute(REBUILD["take_digests_along"].format(live=live, fresh=fresh))


async def _list_tables_in_order(connection: SingleConnection, schema: str) -> list[str]:
    rows = await connection.fetch(REBUILD["tables_of"], schema)
    names = {row["tablename"] for row in rows} & sql.tables()
    return sorted(names, key=lambda name: (name != FIRST_LOCKED, name))
