"""Connections to PostgreSQL itself, and through a pooler, as PgBouncer, whose transactions each may get another one."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any

import asyncpg

NO_STATEMENTS = 0
"""Statements that asyncpg keeps prepared: another connection of the server does not know them."""
LOOK_SECONDS = 10.0


class StatelessConnection(asyncpg.Connection):
    """Nobody here changes a setting, listens, or takes a lock that outlives a transaction.

    So a released connection needs no reset, which would be one question in six of the projector's.
    An open transaction is rolled back all the same.
    """

    def get_reset_query(self) -> str:
        return ""


class PooledConnection(StatelessConnection):
    """Works through a pooler and without one, for more round trips.

    Each statement runs in a transaction, and each transaction sets the parameters that it needs: a pooler refuses or
    forgets those of a connection's start.
    """

    opening = ""

    async def execute(self, query: str, *args: object, timeout: float | None = None) -> str:
        if self.is_in_transaction():
            return await super().execute(query, *args, timeout=timeout)
        if not args:
            # Several statements in one message are one transaction, and BEGIN goes on with it.
            return await super().execute(self.opening + query, timeout=timeout)
        async with self.transaction():
            return await super().execute(query, *args, timeout=timeout)

    async def executemany(self, command: str, args: Iterable[Sequence[Any]], *, timeout: float | None = None) -> None:
        async with self._ensure_transaction():
            await super().executemany(command, args, timeout=timeout)

    async def fetch(self, query: str, *args: object, **options: Any) -> list[Any]:
        async with self._ensure_transaction():
            found: list[Any] = await super().fetch(query, *args, **options)
            return found

    async def fetchval(self, query: str, *args: object, column: int = 0, timeout: float | None = None) -> Any:
        async with self._ensure_transaction():
            return await super().fetchval(query, *args, column=column, timeout=timeout)

    async def fetchrow(self, query: str, *args: object, **options: Any) -> Any:
        async with self._ensure_transaction():
            return await super().fetchrow(query, *args, **options)

    def _ensure_transaction(self) -> AbstractAsyncContextManager[object]:
        return nullcontext() if self.is_in_transaction() else self.transaction()


def create_connection_class(parameters: Mapping[str, str]) -> type[PooledConnection]:
    """The class of connections with these parameters of PostgreSQL."""

    class Configured(PooledConnection):
        opening = "".join(f"set local {name} = {_quote_literal(value)}; " for name, value in parameters.items())

    return Configured


async def is_pooled(url: str) -> bool:
    """Whether a pooler answers there: the process that it names at the login is made up."""
    connection = await asyncpg.connect(
        url, connection_class=PooledConnection, statement_cache_size=NO_STATEMENTS, command_timeout=LOOK_SECONDS
    )
    try:
        return bool(await connection.fetchval("select pg_backend_pid()") != connection.get_server_pid())
    finally:
        await connection.close(timeout=LOOK_SECONDS)


def _quote_literal(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
