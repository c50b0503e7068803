"""PostgreSQL's data folder: made once, complete or not at all."""

import shutil
from pathlib import Path

from tarsy_embedded.errors import DamagedDataError
from tarsy_embedded.postgres_home import PostgresHome

USER = "tarsy"
DATABASE = "tarsy"


def create_once(home: PostgresHome, password: str, *, tests: bool) -> Path:
    """The folder of a cluster with our user and our database; a run that was killed half-way left nothing."""
    cluster = home.folder / "data"
    if (cluster / "PG_VERSION").exists():
        return cluster
    if cluster.exists():
        raise DamagedDataError(cluster, "PG_VERSION")
    new = home.folder / "data.new"
    shutil.rmtree(new, ignore_errors=True)
    _run_initdb(home, new, password, tests=tests)
    # In single-user mode: nothing has to listen, and the folder is whole before anybody sees it.
    home.run("postgres", ["--single", "-D", str(new), "postgres"], stdin=f"CREATE DATABASE {DATABASE}\n")
    new.rename(cluster)
    return cluster


def _run_initdb(home: PostgresHome, folder: Path, password: str, *, tests: bool) -> None:
    password_file = home.folder / "initdb-password"
    password_file.touch(mode=0o600)
    password_file.write_text(password, encoding="ascii")
    home.give(password_file)
    arguments = ["-D", str(folder), "-U", USER, "--auth=scram-sha-256", f"--pwfile={password_file}"]
    # A sort order that is the same on every system.
    arguments += ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    if tests:
        arguments.append("--no-sync")
    try:
        home.run("initdb", arguments)
    finally:
        password_file.unlink()
