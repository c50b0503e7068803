"""Kafka and PostgreSQL of `tarsy up`: embedded ones, or those that somebody named."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tarsy_local.extra import extra_needed
from tarsy_local.up import NamedServers, Ports, Say

if TYPE_CHECKING:
    from tarsy_embedded.server import EmbeddedServer


@dataclass(frozen=True, slots=True)
class ServersInUse:
    """`own` are those that we have started. `kafka_password_file` is that of our own Kafka."""

    kafka: str
    database: str = field(repr=False)
    own: "list[EmbeddedServer]"
    kafka_password_file: Path | None


@contextmanager
def servers(
    folder: Path, named: NamedServers, ports: Ports, *, say: Say, meanwhile: Callable[[], None]
) -> Iterator[ServersInUse]:
    """They run, or answer, in the body. `meanwhile` is called once, while they start.

    Raises ProcessError, DatabaseUnusableError or MissingExtraError.
    """
    if named.database:
        asyncio.run(_require_usable(named.database))
    if named.kafka and named.database:
        meanwhile()
        yield ServersInUse(named.kafka, named.database, [], None)
        return
    with extra_needed("A Kafka or PostgreSQL of its own", otherwise=", or name both with --kafka and --database"):
        from tarsy_local.own_servers import own_servers
    own_kafka, own_database = (None if named.kafka else ports.kafka), (None if named.database else ports.database)
    with own_servers(folder, kafka_port=own_kafka, database_port=own_database, say=say, meanwhile=meanwhile) as own:
        kafka, database = named.kafka or own.kafka, named.database or own.database
        yield ServersInUse(kafka, database, own.running, own.kafka_password_file)


async def _require_usable(url: str) -> None:
    # Here, because it imports a client of PostgreSQL.
    from tarsy_timeline.database.single_connection import connected

    async with connected(url):
        pass
