"""Kafka and PostgreSQL that `tarsy up` brings itself. This module needs the extra `embedded`."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tarsy_embedded.jars import default_cache_dir
from tarsy_embedded.jvm_cds import prepare_class_archive
from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_embedded.postgres import EmbeddedPostgres
from tarsy_embedded.progress import Progress
from tarsy_embedded.server import EmbeddedServer


@dataclass(frozen=True, slots=True)
class OwnServers:
    """An address is empty where none was started."""

    kafka: str
    database: str = field(repr=False)
    running: list[EmbeddedServer]
    kafka_password_file: Path | None


@contextmanager
def own_servers(
    folder: Path, *, kafka_port: int | None, database_port: int | None, say: Progress
) -> Iterator[OwnServers]:
    """They run in the body; none without its port. Raises ProcessError."""
    running: list[EmbeddedServer] = []
    kafka = database = ""
    password_file: Path | None = None
    with ExitStack() as stack:
        cache = default_cache_dir()
        if kafka_port is not None:
            prepare_class_archive(cache, say)
        if database_port is not None:
            postgres = EmbeddedPostgres(folder / "postgres", port=database_port, progress=say)
            running.append(stack.enter_context(postgres))
            database = postgres.url
        if kafka_port is not None:
            broker = EmbeddedKafka(folder / "kafka", port=kafka_port, cache_dir=cache, progress=say, password=True)
            running.insert(0, stack.enter_context(broker))
            kafka, password_file = broker.bootstrap, broker.password_file
        yield OwnServers(kafka, database, running, password_file)
