"""One connection to PostgreSQL, for commands: refusals are sentences, and none of them holds the password."""

import asyncio
import ssl
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import asyncpg

from tarsy_bus.client.reachability import STEP_SECONDS, find_unreachable_step
from tarsy_timeline.database.connections import NO_STATEMENTS, create_connection_class
from tarsy_timeline.database.url import tls_mistakes, without_password
from tarsy_timeline.errors import TimelineError

CONNECT_SECONDS = 10.0
CLOSE_SECONDS = 5.0
STATEMENT_SECONDS = 900.0
"""A migration may rewrite a large table."""

type SingleConnection = asyncpg.Connection[asyncpg.Record]


LASTING = (
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.InvalidCatalogNameError,
    asyncpg.InsufficientPrivilegeError,
    ssl.SSLCertVerificationError,
)
"""Mistakes of somebody: waiting mends none of them."""


class DatabaseUnusableError(TimelineError):
    """The message has the database, without its password, and the reason. The operator corrects it."""


class DatabaseMisconfiguredError(DatabaseUnusableError):
    """The same, where no second try can help."""


@asynccontextmanager
async def connected(
    url: str, *, schema: str | None = None, seconds: float = CONNECT_SECONDS
) -> AsyncIterator[SingleConnection]:
    """To a database with UTF8, `schema` first in its search path. Errors of PostgreSQL in the body count, too.

    `seconds`: how long it may take to connect.

    Raises DatabaseUnusableError.
    """
    address = without_password(url)
    if mistakes := list(tls_mistakes(url)):
        raise DatabaseMisconfiguredError(f"PostgreSQL at {address} cannot be used: {'; '.join(mistakes)}.")
    connection = await _connect(url, address, {} if schema is None else {"search_path": schema}, seconds)
    try:
        encoding = await connection.fetchval("SHOW server_encoding")
        if encoding != "UTF8":
            raise DatabaseMisconfiguredError(
                f"The database at {address} has the encoding {encoding}: TARSy needs one with UTF8."
            )
        yield connection
    except (OSError, TimeoutError, asyncpg.PostgresError) as problem:
        raise _unusable_error(address, problem, f"no answer within {STATEMENT_SECONDS:g} seconds") from problem
    finally:
        await _close_or_terminate(connection)


async def _connect(url: str, address: str, parameters: dict[str, str], seconds: float) -> SingleConnection:
    try:
        async with asyncio.timeout(seconds):
            return await asyncpg.connect(
                url,
                connection_class=create_connection_class(parameters),
                statement_cache_size=NO_STATEMENTS,
                command_timeout=STATEMENT_SECONDS,
            )
    except (OSError, TimeoutError, asyncpg.PostgresError) as problem:
        step = "" if str(problem) else await find_unanswered_step(url)
        raise _unusable_error(address, problem, f"no answer within {seconds:g} seconds; {step}") from problem
    except (ValueError, asyncpg.InterfaceError):
        # A message of asyncpg about an address may quote it, with its password.
        raise DatabaseMisconfiguredError(
            f"{address} is not an address of PostgreSQL: write postgresql://USER:PASSWORD@HOST:PORT/NAME."
        ) from None


def _unusable_error(address: str, problem: Exception, silence: str) -> DatabaseUnusableError:
    """`silence`: the reason where the error has none."""
    kind = DatabaseMisconfiguredError if isinstance(problem, LASTING) else DatabaseUnusableError
    return kind(f"PostgreSQL at {address} cannot be used ({str(problem) or silence}).")


async def _close_or_terminate(connection: SingleConnection) -> None:
    try:
        await connection.close(timeout=CLOSE_SECONDS)
    except (OSError, TimeoutError, asyncpg.PostgresError):
        connection.terminate()


TLS_REQUEST = struct.pack("!II", 8, 80877103)
"""A server of PostgreSQL answers it with one byte, whether it has TLS or not."""


async def find_unanswered_step(url: str, *, seconds: float = STEP_SECONDS) -> str:
    """`url`: one that asyncpg took. `seconds`: how long each step may take."""
    parts = urlsplit(url)
    if not parts.hostname:
        return "login: the server's socket takes the connection, and nothing answers"
    host, port = parts.hostname, parts.port or 5432
    if step := await find_unreachable_step(host, port, seconds=seconds):
        return step
    if not await _answers_tls_request(host, port, seconds):
        return "TLS: the connection is taken, and nothing answers, as behind a proxy without a server"
    return "login: the server answers, and does not end the login"


async def _answers_tls_request(host: str, port: int, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            reader, writer = await asyncio.open_connection(host, port)
            try:
                writer.write(TLS_REQUEST)
                return bool(await reader.read(1))
            finally:
                writer.close()
    except OSError:
        return False
