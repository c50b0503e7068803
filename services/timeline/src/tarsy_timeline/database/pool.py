"""PostgreSQL: the pool, and the answer while there is none."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from types import MappingProxyType

import asyncpg
import structlog
from asyncpg.pool import PoolConnectionProxy
from pydantic_core import from_json

from tarsy_service.http.problems import ProblemError
from tarsy_timeline.database.connections import NO_STATEMENTS, StatelessConnection, create_connection_class, is_pooled
from tarsy_timeline.errors import TimelineError

log = structlog.get_logger(__name__)

ACQUIRE_SECONDS = 5.0
COMMAND_SECONDS = 30.0
START_SECONDS = 60.0
PAUSE_SECONDS = 0.5
KEPT_STATEMENTS = 100
"""Statements that each connection keeps prepared."""

type Connection = PoolConnectionProxy[asyncpg.Record]

UNREACHABLE = (
    OSError,
    TimeoutError,
    asyncpg.PostgresConnectionError,  # SQLSTATE class 08
    asyncpg.InvalidTransactionStateError,  # 25: it is read-only, as a standby is
    asyncpg.TransactionRollbackError,  # 40
    asyncpg.InsufficientResourcesError,  # 53: no space, no memory, too many connections
    asyncpg.OperatorInterventionError,  # 57: it stops, starts, or somebody cancelled us
)
"""Exceptions of asyncpg, bare OSErrors among them, while PostgreSQL is away or has trouble that passes."""


class DatabaseRefusedError(TimelineError):
    """PostgreSQL answers, and is not whom we look for. The operator corrects TARSY_DATABASE."""


class Database:
    """All tables lie in one schema of ours, which every statement finds first in its search path."""

    def __init__(
        self, url: str, schema: str, connections: int, settings: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        """`settings`: parameters of PostgreSQL for each connection."""
        self._url = url
        self._schema = schema
        self._settings = settings
        self.name = f"tarsy-timeline/{schema}"
        self._connections = connections
        self._pool: asyncpg.Pool[asyncpg.Record] | None = None

    @asynccontextmanager
    async def running(self, prepare: Callable[[Connection], Awaitable[object]]) -> AsyncIterator["Database"]:
        """Waits for a PostgreSQL that is still starting; nobody gets a connection before `prepare` is through."""
        pool = await self._connect_pool()
        try:
            async with pool.acquire() as connection:
                await prepare(connection)
            self._pool = pool
            yield self
        finally:
            self._pool = None
            await _close_pool(pool)

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """For the projector: raises one of UNREACHABLE while PostgreSQL is away."""
        if self._pool is None:
            raise ConnectionError("the database is not connected")
        async with self._pool.acquire(timeout=ACQUIRE_SECONDS) as connection:
            try:
                yield connection
            except asyncpg.InterfaceError as problem:
                if isinstance(problem, ValueError):
                    raise  # an argument that does not fit its column: a mistake of ours, no matter of the network
                raise ConnectionError(f"the connection was lost: {problem}") from problem
            except asyncpg.InternalClientError as problem:
                # asyncpg raises this when the server ended the connection in the moment in which it was taken again.
                connection.terminate()
                raise ConnectionError(f"the connection was lost: {problem}") from problem

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[Connection]:
        """For answers: everything read in it is of one moment. Raises ProblemError while PostgreSQL is away.

        A question with `select *` goes through `read`: a migration may come in between.
        """
        try:
            async with (
                self.connection() as connection,
                connection.transaction(isolation="repeatable_read", readonly=True),
            ):
                yield connection
        except UNREACHABLE as problem:
            log.warning("database.unreachable", reason=repr(problem))
            raise ProblemError(503, "Service unavailable", "The database cannot be reached.") from problem

    async def read[T](self, question: Callable[[Connection], Awaitable[T]]) -> T:
        """Asks `question` in a snapshot, and once more if a migration changed its tables meanwhile.

        asyncpg caches prepared statements, and renews them by itself only outside of transactions.
        Raises ProblemError.
        """
        try:
            return await self._read_once(question)
        except asyncpg.InvalidCachedStatementError:
            log.info("database.migrated")
        try:
            return await self._read_once(question)
        except asyncpg.InvalidCachedStatementError as problem:
            detail = "The tables are being migrated. Try again."
            raise ProblemError(503, "Service unavailable", detail) from problem

    async def _read_once[T](self, question: Callable[[Connection], Awaitable[T]]) -> T:
        async with self.snapshot() as connection:
            return await question(connection)

    async def _connect_pool(self) -> "asyncpg.Pool[asyncpg.Record]":
        async with asyncio.timeout(START_SECONDS):
            while True:
                try:
                    return await self._create_pool()
                except ssl.SSLCertVerificationError as problem:
                    raise DatabaseRefusedError(
                        f"PostgreSQL shows a certificate that is not trusted ({problem.verify_message}): sslrootcert "
                        "in TARSY_DATABASE has to name the file of the authority that signed it, and for "
                        "sslmode=verify-full the certificate has to name the host"
                    ) from problem
                except (OSError, asyncpg.CannotConnectNowError, asyncpg.ConnectionDoesNotExistError) as problem:
                    log.info("database.waiting", reason=repr(problem))
                    await asyncio.sleep(PAUSE_SECONDS)

    async def _create_pool(self) -> "asyncpg.Pool[asyncpg.Record]":
        name, parameters = {"application_name": self.name}, {"search_path": self._schema, **self._settings}
        if await is_pooled(self._url):
            log.info("database.pooled")
            return await self._create_asyncpg_pool(create_connection_class(parameters), name, NO_STATEMENTS)
        return await self._create_asyncpg_pool(StatelessConnection, {**parameters, **name}, KEPT_STATEMENTS)

    async def _create_asyncpg_pool(
        self, connection_class: type[StatelessConnection], settings: dict[str, str], statements: int
    ) -> "asyncpg.Pool[asyncpg.Record]":
        return await asyncpg.create_pool(
            self._url,
            min_size=1,
            max_size=self._connections,
            connection_class=connection_class,
            init=_init_connection,
            command_timeout=COMMAND_SECONDS,
            server_settings=settings,
            statement_cache_size=statements,
        )


async def _init_connection(connection: "asyncpg.Connection[asyncpg.Record]") -> None:
    await connection.set_type_codec("jsonb", encoder=json.dumps, decoder=from_json, schema="pg_catalog")


async def _close_pool(pool: "asyncpg.Pool[asyncpg.Record]") -> None:
    try:
        async with asyncio.timeout(ACQUIRE_SECONDS):
            await pool.close()
    except TimeoutError:
        pool.terminate()
