"""Kafka and PostgreSQL that `tarsy up` brings itself. This module needs the extra `embedded`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tarsy_embedded.jars import default_cache_dir
from tarsy_embedded.jvm_cds import prepare_class_archive
from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_embedded.postgres import EmbeddedPostgres
from tarsy_embedded.progress import Progress
from tarsy_embedded.server import EmbeddedServer, started_together


@dataclass(frozen=True, slots=True)
class OwnServers:
    """An address is empty where none was started."""

    kafka: str
    database: str = field(repr=False)
    running: list[EmbeddedServer]
    kafka_password_file: Path | None


@contextmanager
def own_servers(
    folder: Path, *, kafka_port: int | None, database_port: int | None, say: Progress, meanwhile: Callable[[], None]
) -> Iterator[OwnServers]:
    """They run in the body; none without its port. `meanwhile`: once they start. Raises ProcessError."""
    servers: list[EmbeddedServer] = []
    cache = default_cache_dir()
    broker = postgres = None
    if kafka_port is not None:
        prepare_class_archive(cache, say)
        broker = EmbeddedKafka(folder / "kafka", port=kafka_port, cache_dir=cache, progress=say, password=True)
        servers.append(broker)
    if database_port is not None:
        postgres = EmbeddedPostgres(folder / "postgres", port=database_port, progress=say)
        servers.append(postgres)
    with started_together(servers, meanwhile=meanwhile):
        yield OwnServers(
            kafka="" if broker is None else broker.bootstrap,
            database="" if postgres is None else postgres.url,
            running=servers,
            kafka_password_file=None if broker is None else broker.password_file,
        )
