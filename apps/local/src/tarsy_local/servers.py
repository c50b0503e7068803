"""Kafka and PostgreSQL of `tarsy up`: embedded ones, or those that somebody named."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import asyncpg

from tarsy_embedded.jars import default_cache_dir
from tarsy_embedded.jvm_cds import prepare_class_archive
from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_embedded.postgres import EmbeddedPostgres
from tarsy_embedded.server import EmbeddedServer
from tarsy_local.addresses import without_password
from tarsy_local.errors import LocalError
from tarsy_timeline.database_url import tls_mistakes

CONNECT_SECONDS = 10.0

type Say = Callable[[str], None]


class DatabaseUnusableError(LocalError):
    """The message says which, and why, without its password. The operator corrects it."""


@dataclass(frozen=True, slots=True)
class NamedServers:
    """Servers that `tarsy up` was told to use; empty where it brings its own."""

    kafka: str = ""
    database: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class ServersInUse:
    """`own` are those that we have started."""

    kafka: str
    database: str = field(repr=False)
    own: list[EmbeddedServer]


@contextmanager
def servers(
    folder: Path, named: NamedServers, *, kafka_port: int, database_port: int, say: Say
) -> Iterator[ServersInUse]:
    """They run, or answer, in the body. Raises EmbeddedError or DatabaseUnusableError."""
    own: list[EmbeddedServer] = []
    with ExitStack() as stack:
        database, kafka = named.database, named.kafka
        if database:
            asyncio.run(_require_usable(database))
        if not kafka:
            cache = default_cache_dir()
            prepare_class_archive(cache, say)
        if not database:
            postgres = EmbeddedPostgres(folder / "postgres", port=database_port, progress=say)
            own.append(stack.enter_context(postgres))
            database = postgres.url
        if not kafka:
            broker = EmbeddedKafka(folder / "kafka", port=kafka_port, cache_dir=cache, progress=say)
            own.insert(0, stack.enter_context(broker))
            kafka = broker.bootstrap
        yield ServersInUse(kafka, database, own)


async def _require_usable(url: str) -> None:
    place = without_password(url)
    if mistakes := list(tls_mistakes(url)):
        raise DatabaseUnusableError(f"PostgreSQL at {place} cannot be used: {'; '.join(mistakes)}.")
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            connection = await asyncpg.connect(url)
            try:
                encoding = await connection.fetchval("SHOW server_encoding")
            finally:
                await connection.close()
    except (OSError, TimeoutError, asyncpg.PostgresError) as problem:
        reason = str(problem) or f"no answer within {CONNECT_SECONDS:g} seconds"
        raise DatabaseUnusableError(f"PostgreSQL at {place} cannot be used ({reason}).") from problem
    except (ValueError, asyncpg.InterfaceError):
        # A message of asyncpg about an address may quote it, with its password.
        raise DatabaseUnusableError(
            f"--database is no address of PostgreSQL ({place}): it is postgresql://USER:PASSWORD@HOST:PORT/NAME."
        ) from None
    if encoding != "UTF8":
        raise DatabaseUnusableError(f"The database at {place} has the encoding {encoding}: TARSy needs one with UTF8.")
